"""What mail programs write by themselves below and around a reply, in many languages.

Everything is in lower case and compared with the beginning of a line.  `attribution` knows the
line that introduces a quotation, `machines` the Subjects of mail that no person wrote.
"""

from __future__ import annotations

SENT_FROM = (
    # English
    "sent from ",
    "sent via ", "sent with ", "sent using ", "sent on the go", "get outlook for ",
    "get [outlook", "get bluemail for ", "yahoo mail: ", "please excuse my brevity",
    # German
    "von meinem iphone", "von meinem ipad", "von meinem handy", "von meinem smartphone",
    "von meinem android", "von meinem samsung", "von meinem galaxy", "von meinem huawei",
    "von meinem xiaomi", "von meinem mobil", "von meinem tablet", "von meinem windows",
    "von meinem blackberry", "von meinem telefon", "von mobilgerät gesendet", "von samsung",
    "von iphone gesendet", "von ipad gesendet", "von yahoo mail", "gesendet von ",
    "gesendet mit ", "gesendet aus ", "gesendet über ", "diese nachricht wurde von ",
    "diese nachricht wurde mit ",
    "holen sie sich outlook", "outlook für ",
    # French
    "envoyé de ", "envoyé depuis ", "envoyé à partir ", "envoyé avec ", "envoyé via ",
    "télécharger outlook ", "téléchargez outlook ", "obtenir outlook ", "obtenez outlook ",
    # Spanish and Portuguese
    "enviado desde ", "enviado de ", "enviado do ", "enviado da ", "enviado con ", "enviado com ",
    "enviado a partir ", "enviado via ", "enviado pelo ", "obtener outlook ", "descargar outlook ",
    "obter o outlook ", "obtenha o outlook ", "baixar o outlook ", "baixe o outlook ",
    # Italian
    "inviato da ", "inviato dal ", "inviato con ", "inviato tramite ", "ottieni outlook ",
    "scarica outlook ",
    # Dutch
    "verzonden vanaf ", "verzonden vanuit ", "verstuurd vanaf ", "verzonden met ", "verstuurd met ",
    "verzonden via ",
    "verstuurd via ", "download outlook ", "outlook voor ",
    # Polish
    "wysłane z ", "wysłano z ", "wysłane za ", "wysłano za ", "ten mail został wysłany z ",
    "ta wiadomość została wysłana z ", "pobierz aplikację outlook",
    "pobierz outlook", "uzyskaj outlook",
    # Russian
    "отправлено с ", "отправлено из ", "отправлено через ", "отправлено от ", "скачать outlook ",
    "скачайте outlook ", "получить outlook ", "получите outlook ",
    # Chinese
    "发自我的", "從我的", "从我的", "發自我的", "來自我的", "来自我的", "发自 ", "發自 ",
    "发送自 ", "傳送自 ", "获取 outlook", "获取outlook", "下载 outlook", "取得 outlook",
    "取得 android", "取得 ios", "获取 android", "获取 ios",
    "下載 outlook", "从 windows", "從 windows",
    # Japanese: see SENT_FROM_ENDS
    "outlook for ", "yahoo!メール - ", "windows 版のメールから",
    # Danish, Finnish, Norwegian, Swedish
    "skickat från ", "sendt fra ", "lähetetty ",
    # Catalan, Czech, Greek, Romanian, Slovak, Ukrainian, Vietnamese
    "enviat des del meu ", "odesláno z ", "στάλθηκε από ", "trimis de pe ", "trimis din ",
    "odoslané z ", "надіслано з ", "gửi từ ",
)  # fmt: skip
SENT_FROM_ENDS = (
    "から送信", "から送信されました", "を入手", "を入手する", "より送信",  # Japanese
    "에서 보냄", "에서 보낸 메일", "'umdan gönderildi", "’umdan gönderildi",  # Korean, Turkish
)  # fmt: skip
LONGEST_SENT_FROM = 160  # characters; such a line often carries a link

ORIGINAL = (
    "original message", "original appointment", "reply message", "replied message",
    "forwarded message",
    "ursprüngliche nachricht", "originalnachricht", "original-nachricht", "ursprungsnachricht",
    "weitergeleitete nachricht", "original-mail",
    "message d'origine", "message d’origine", "message original", "message initial",
    "courriel original", "message transféré",
    "исходное сообщение", "пересылаемое сообщение", "оригинальное сообщение",
    "перенаправленное сообщение",
    "mensaje original", "mensaje reenviado", "mensaje enviado",
    "messaggio originale", "messaggio originario", "messaggio inoltrato",
    "oorspronkelijk bericht", "origineel bericht", "doorgestuurd bericht",
    "mensagem original", "mensagem encaminhada",
    "oryginalna wiadomość", "wiadomość oryginalna", "wiadomość oryginal",
    "przekazana wiadomość",
    "原始邮件", "邮件原件", "原始郵件", "原始訊息", "原始消息", "回复的原邮件", "转发的邮件",
    "元のメッセージ", "転送メッセージ", "転送されたメッセージ", "オリジナルメッセージ",
    "oprindelig besked", "oprindelig meddelelse", "opprinnelig melding",
    "ursprungligt meddelande", "alkuperäinen viesti", "původní zpráva", "eredeti üzenet",
    "özgün ileti", "원본 메시지", "원본 메일", "mesaj original",
)  # fmt: skip

# Apple Mail's line above the head of a mail that is passed on.
FORWARDED = frozenset((
    "begin forwarded message", "anfang der weitergeleiteten nachricht",
    "anfang der weitergeleiteten e-mail", "début du message réexpédié",
    "début du message transféré", "inicio del mensaje reenviado", "inizio messaggio inoltrato",
    "begin doorgestuurd bericht", "início da mensagem reencaminhada",
    "início da mensagem encaminhada", "początek przekazywanej wiadomości",
    "начало переадресованного сообщения", "начало пересылаемого сообщения", "开始转发的邮件",
    "開始轉寄的郵件", "转发的邮件", "転送されたメッセージ",
))  # fmt: skip

FROM = frozenset((
    "from", "von", "de", "da", "van", "od", "от", "от кого", "发件人", "發件人", "寄件者",
    "寄件人", "差出人", "送信者", "från", "fra", "lähettäjä", "feladó", "kimden", "보낸사람",
    "보낸 사람", "від", "from (sender)", "mittente", "remitente", "remetente", "absender",
    "expéditeur", "afzender", "nadawca", "отправитель",
))  # fmt: skip
BESIDE_FROM = frozenset((
    "sent", "date", "to", "subject", "cc", "bcc", "reply-to", "importance", "sent by", "received",
    "gesendet", "datum", "an", "betreff", "gesendet am", "kopie", "antwort an", "priorität",
    "envoyé", "envoyé le", "envoyée", "date d'envoi", "à", "a", "objet", "copie", "pour", "sujet",
    "répondre à", "enviado", "enviado el", "enviado em", "enviada em", "enviada a", "enviada",
    "fecha", "para", "asunto", "responder a", "inviato", "inviata", "data", "oggetto", "per",
    "data invio", "verzonden", "verstuurd", "aan", "onderwerp", "assunto", "wysłano", "wysłane",
    "do", "dw", "temat", "отправлено", "дата", "кому", "копия", "тема", "дата отправки",
    "发送时间", "收件人", "抄送", "主题", "日期", "发送日期", "寄件日期", "傳送日期", "收件者",
    "主旨", "副本", "時間", "送信日時", "送信日", "送信済み", "宛先", "件名", "日時", "日付",
    "cc (copy)", "skickat", "till", "ämne", "sendt", "til", "emne", "dato", "lähetetty",
    "vastaanottaja", "aihe", "päivämäärä", "předmět", "komu", "odesláno", "tárgy", "címzett",
    "konu", "kime", "tarih", "받는사람", "받는 사람", "제목", "보낸날짜", "날짜", "надіслано",
))  # fmt: skip

# Whatever the paragraph says, these headings are no part of a reply.
DISCLAIMER_HEADINGS = (
    "disclaimer", "confidentiality n", "confidential:", "confidentiality:", "important notice",
    "privileged and confidential", "privileged/confidential", "private and confidential",
    "if you are not the intended recipient", "please consider the environment",
    "think before you print", "virus-free", "this email has been checked for virus",
    "this email has been scanned", "this e-mail has been scanned",
    "haftungsausschluss", "vertraulichkeitshinweis", "bitte denken sie an die umwelt", "virenfrei",
    "diese e-mail wurde von avast", "avis de confidentialité", "clause de confidentialité",
    "pensez à l'environnement", "sans virus", "garanti sans virus",
    "aviso de confidencialidad", "aviso legal", "cláusula de confidencialidad", "libre de virus",
    "avviso di riservatezza", "nota di riservatezza", "clausola di riservatezza", "privo di virus",
    "vertrouwelijkheid", "virusvrij", "livre de vírus", "aviso de confidencialidade",
    "klauzula poufności", "informacja o poufności", "wolne od wirusów",
    "уведомление о конфиденциальности", "конфиденциальность", "без вирусов",
    "免责声明", "免責聲明", "保密声明", "保密聲明", "保密提示", "免責事項", "機密情報",
)  # fmt: skip
# These may be a person's words, too: the paragraph must go on to speak of secrecy.
DISCLAIMER_OPENINGS = (
    "this e-mail", "this email", "this message", "this communication", "this transmission",
    "this electronic", "the information", "the contents of this", "the content of this",
    "diese e-mail", "diese nachricht", "diese mail", "der inhalt dieser", "die information",
    "dieses e-mail", "die in dieser", "ce message", "ce courriel", "ce mail", "cet e-mail",
    "cet email", "les informations", "l'intégrité de ce message", "le contenu de ce",
    "este mensaje", "este correo", "la información", "el contenido de este", "este e-mail",
    "questo messaggio", "questa e-mail", "questa mail", "questa comunicazione",
    "le informazioni", "il presente messaggio", "la presente", "ai sensi",
    "dit bericht", "deze e-mail", "deze mail", "de informatie", "de inhoud van", "esta mensagem",
    "este email", "as informações", "a informação", "o conteúdo desta", "niniejsza", "ta wiadomość",
    "treść tej", "informacje zawarte", "wiadomość ta", "это сообщение", "настоящее сообщение",
    "данное сообщение", "информация", "это письмо", "настоящее электронное", "本邮件", "本郵件",
    "本电子邮件", "本電子郵件", "此邮件", "此郵件", "此电子邮件", "此電子郵件", "このメール",
    "本メール", "この電子メール", "本電子メール", "この電子メッセージ", "本メッセージ",
)  # fmt: skip
SECRECY = (
    "confiden", "privileged", "intended recipient", "intended only", "intended solely",
    "vertraulich", "vertrouwelijk", "riservat", "privacy", "poufn", "конфиденциальн", "机密",
    "機密", "保密", "destinataire", "destinatari", "destinatário", "ausschließlich",
    "geadresseerde", "adresat", "адресат", "受取人", "宛先以外",
)  # fmt: skip

# Lines of our own letters.  A mail program that repeats a letter without any marks must not make
# its reader's dice a message to the others.
OUR_LETTERS = (
    "your dice:", "it is your turn", "proof of the dice", "to answer, reply to this letter",
    "sha-256 of the seed of round", "please move before", "without this letter, by mail",
    "no password is needed; what you write",
)  # fmt: skip

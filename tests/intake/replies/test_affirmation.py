"""Replies to a letter that asks for a yes: which ones confirm, and which do not."""

from __future__ import annotations

import pytest

from pbmserv.intake.replies.affirmation import says_yes
from tests.processor_time import usual_seconds
from tests.rows import each_row

YES = """
Yes | yes! | Yes, that is me. | It is me. | OK | ok, thanks | Okay | Sure! | I confirm.
Confirmed | I hereby confirm this address. | confirm | Hi, yes please. | Ja | Ja, bitte!
Ich bestätige das. | Hiermit bestätige ich die Adresse | Bestätigt | Das bin ich | Oui
Oui, merci beaucoup ! | Je confirme mon adresse | D'accord | C'est moi. | Sí | Sí, confirmo.
Confirmo | Vale, gracias | De acuerdo | Sì, grazie | Confermo | Va bene | Sim, obrigado
Ja, graag | Ik bevestig | Akkoord | Tak | Tak, potwierdzam | Potwierdzam adres | Да | Да, это я
Подтверждаю | Я подтверждаю | Так | 是 | 是的 | 好的,谢谢 | 确认 | 我确认 | 同意 | はい
はい、お願いします | 確認しました | 了解です | 네 | 👍 | ✅ | Ja tack | Det är jag | Kyllä
Igen | Evet | Ano | Yes, thank you | Yes, this is my address. | Je vous confirme mon adresse
Ja, das ist meine Adresse | Sí, es mi dirección | Sim, sou eu
Yes, please confirm my account | Confirmed, thank you for your server | Yes I am human
Ja, das bin ich. Vielen Dank für Ihre Mühe | Sí, confirmo su solicitud | Si | Si, confirmo | Si!
Yes, of course. Thanks a lot for your help! | Yes :-) | Dear server, yes | Hello, I confirm
Ja natürlich, danke für die Mühe | Ja, ich bestätige Ihre Anfrage | Ja, dit is mijn adres
Oui, c'est bien moi. Merci pour votre aide | Oui, je confirme votre demande | Oui, bien sûr
Sí, por favor | Sí, soy yo. Muchas gracias por su ayuda | Claro, es mi cuenta | Si. Grazie mille
Sì, confermo la vostra richiesta | Sim, é o meu endereço | Ja, det är min adress. Tack så mycket
Ja takk, det er meg | Tak, to ja. Dziękuję bardzo | Да, конечно. Спасибо за помощь | Так, дякую
Да, подтверждаю | Kyllä, kiitos | Igen, köszönöm | 是的，谢谢您 | 好的，我确认 | はい、私です
はい、確認しました。よろしくお願いします | 네, 감사합니다 | 네, 확인했습니다 | 👍🏽 | ✔️ | Yes 🙂
yep thats me | Yep That’s Me 😀 | yes its me | it’s really me | sure thing | Yes, definitely 🎉
Oui c bien moi | Oui C Bien Moi 😊 | ouais c moi | cest moi | C'est vraiment moi | ouaip | da eto ya
eto ya | да это точно я | угу, это я | да это я))) | sí soy yo | Sí soy yo ❤️ | ¡Sí, soy yo!
claro que sí | Sí que soy yo | sip
"""
NOT = """
yep thats me but no | thats not me | its me again, stop | c pas moi | oui c pas moi | c qui
da eto ne ya | это точно не я | claro que no | ¿sí, soy yo? | sí soy yo pero no quiero | da
I never asked for this | I never asked for this! | No | No, thanks | Not me | Yes?
Yes, but who are you | Who is this? | Sure, but I did not ask | OK but stop it
I did not confirm anything | I do not confirm | I can't confirm this | Please remove me
Unsubscribe | STOP | Thanks | Hello, leave me alone. | Hi there, how are you | Ann
Ich habe das nie angefordert | Nein | Nein danke, das bin ich nicht | Ja, aber was ist das
Das habe ich nicht bestellt, ich bestätige nichts | Je n'ai jamais demandé ça | Non
Ce n'est pas moi | Je ne confirme pas | Nunca pedí esto | No he pedido esto | No soy yo
Si no lo pedí yo | Non l'ho mai chiesto | Non sono io | Nunca pedi isto | Não | Não confirmo
Nee | Dat ben ik niet | Ik heb hier niet om gevraagd | Nie prosiłem o to | Nie | To nie ja
Я этого не просил | Нет | Это не я | Я никогда этого не просил | 我没有要求这个 | 不 | 不是我
是谁 | 好奇怪 | 我不确认 | 頼んでいません | いいえ | 確認できません | 違います | 아니요
Nej tak | Jag har inte bett om detta | En ole pyytänyt tätä | Nem | 4-2s
OK, I quit | Yes, leave me alone | Sure hope this is a joke | Ja bitte löschen | Sure, go away
oui désinscrivez-moi | Genau das will ich loswerden | vale, borra mi cuenta | Certainly a fraud
так, хватит | ок, отпишите меня | Si vous recevez ce message, ignorez-le | Yes (automatic reply)
Please confirm that you are human by replying. | Please confirm your message | To confirm, click
You must confirm your email first. | Bitte bestätigen Sie, dass Sie ein Mensch sind.
Veuillez confirmer votre message | Por favor confirme su mensaje | 是的，自动回复
Confirmed: message received by the helpdesk, ticket 1234 | ok, ticket 12 was opened
Si recibiste este mensaje por error | Si continúa llamaré a la policía | Si confirmo | Si soy yo
Si conferma la ricezione | Se confermo | Yes I want off this list | Yes, take me off
Oui, laissez-moi tranquille | I agree this is fake | так это же мошенники | Yes, scammer | Yes 🖕
OK. Your case is open. | Confirmed. Your request was filed. | Ok thanks for nothing | Yeah right
That's ok, thank you | Yes, take my name from it | I confirm your case 12 | Confirm your address
Confirm my account | Bestätige mein Konto | Confirmer mon compte | Bevestig mijn adres
Please confirm
Ja, lasst mich in Ruhe | Ja, ich rufe die Polizei | Klar ist das ein Schwindel | Genau solche Post
Ja, uw bericht is ontvangen | Ja, laat me met rust | Oui, votre demande a été reçue
Oui c'est une arnaque | D'accord avec mon avocat | Vale, déjame en paz | Claro que es un timo
Sí, su mensaje fue recibido | Va bene, lasciatemi in pace | Certo che siete dei ladri
Sim, deixe-me em paz | Ja, ta bort mig | Ja, det er svindel | Tak, to oszustwo | Tak myślałem
Да вы мошенники | Да пошли вы | ок, заявка 12 принята | Так я і думав | Kyllä tämä on huijaus
Evet, beni çıkarın | 是的，你们是骗子 | 好的，工单已收到 | 确认收到您的邮件 | 请确认
请确认您的地址 | はい、詐欺ですね | 確認してください | 了解、通報します | 네, 사기입니다 | 确认 http://example.org
Welcome! To play Perudo by email as | Is this a game? | ... | Are you sure this is for me
"""


def written(texts: str) -> list[str]:
    return [each.strip() for line in texts.strip().split("\n") for each in line.split(" | ")]


@each_row("text", written(YES))
def test_a_yes_confirms(text: str) -> None:
    assert says_yes([text])


@each_row("text", written(NOT))
def test_other_words_do_not_confirm(text: str) -> None:
    assert not says_yes([text])


@each_row("text", written(YES))
def test_a_yes_is_one_between_greeting_and_signature(text: str) -> None:
    """Text below the first paragraph is not read."""
    typed = ["", "Dear server,", "", text, "Ann", "", "If you are not the recipient, do not read."]
    assert says_yes(typed)


@each_row("text", written(NOT))
def test_other_words_below_a_greeting_do_not_confirm(text: str) -> None:
    assert not says_yes(["Hello,", "", text, "", "Yes"])


def test_an_empty_reply_confirms() -> None:
    """The letter says "just reply"."""
    assert says_yes([])
    assert says_yes(["", "\u00a0", ""])
    assert says_yes(["Hello!"])
    assert says_yes(["Dear server,"])


@pytest.mark.parametrize(
    "below",
    ["I never asked for this.", "I want off this list", "It is fake.", "Laissez-moi tranquille",
     "это же мошенники", "Your ticket number is 1234.", "Déjame en paz"],
)  # fmt: skip
def test_a_retraction_in_the_next_line_counts(below: str) -> None:
    assert not says_yes(["Yes.", below])
    assert not says_yes(["Hello,", "Yes.", below])


@pytest.mark.parametrize(
    "below",
    ["no wait", "jk", "Just kidding!", "I never asked for this", "No!", "non attends", "es broma",
     "нет, подожди", "Je n'ai rien demandé"],
)  # fmt: skip
def test_a_short_line_that_takes_a_yes_back_counts_in_the_next_paragraph(below: str) -> None:
    """Other paragraphs may be of a signature or a disclaimer."""
    assert not says_yes(["Yes", "", below])
    assert not says_yes(["Hello,", "", "Yes", "", below])
    assert says_yes(["Yes", "", "Please don't print this email.", "No paper!"])
    assert says_yes(["Yes", "", "If you have received this email by mistake, please delete it."])


@pytest.mark.parametrize(
    "below",
    ["Hope you are well", "Thank you for your server.", "Vielen Dank für Ihre Mühe", "Ann, +49 123",
     "See you at the table, all my friends play there"],
)  # fmt: skip
def test_other_words_in_the_next_line_do_not_count(below: str) -> None:
    assert says_yes(["Yes", below])
    assert says_yes(["Hello,", "", "Yes", below])


def test_a_yes_below_the_first_line_does_not_confirm() -> None:
    assert not says_yes(["This is about the letter of today.", "Yes"])


def test_a_greeting_hides_no_doubt() -> None:
    assert not says_yes(["Hi, I never asked for it.", "", "OK, bye"])
    assert says_yes(["Hi, thank you.", "", "Yes"])


def test_a_long_text_does_not_confirm() -> None:
    assert says_yes(["Yes", "x" * 100])
    assert not says_yes(["Yes", "x" * 200])
    assert not says_yes(["Yes, " + "please " * 40])


@pytest.mark.parametrize("typed", [[], ["", ""], ["Hello"], ["Hello!"], ["Dear server,"]])
def test_an_unproven_request_needs_a_typed_yes(typed: list[str]) -> None:
    assert says_yes(typed)
    assert not says_yes(typed, in_words=True)


@pytest.mark.parametrize("typed", [["yes"], ["Hello,", "", "Yes, please"], ["Ja."], ["confirmed"]])
def test_a_yes_in_words_is_one(typed: list[str]) -> None:
    assert says_yes(typed, in_words=True)


@pytest.mark.parametrize("word", ["是" + "的是" * 60_000 + "x", "我" * 120_000, "是的" * 60_000])
def test_an_endless_word_is_read_quickly(word: str) -> None:
    """`是` and `的是` n times had 2 to the power of n ways to be read: 351 bytes took years."""

    def read() -> None:
        assert not says_yes([word])
        assert not says_yes(["Yes", word])

    assert usual_seconds(read, 0.1) <= 0.1


def test_short_words_without_blanks_are_read() -> None:
    assert says_yes(["是" + "的是" * 20])
    assert not says_yes(["是" + "的是" * 20 + "x"])


@pytest.mark.parametrize("line", ["yes" + "\u200b" * 700, "\u0301" * 700 + "yes", " yes no" * 200])
def test_truncated_text_does_not_confirm(line: str) -> None:
    assert not says_yes([line + " no"])


def test_a_paragraph_of_ten_thousand_lines_does_not_confirm() -> None:
    assert not says_yes(["yes"] * 10_000)
    assert says_yes(["", *["\u200b"] * 10_000, "yes", "", *["no"] * 10_000])

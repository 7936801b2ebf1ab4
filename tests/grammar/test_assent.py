"""A reply to a letter that asks for a yes: what is one, and what is not."""

from __future__ import annotations

import pytest

from pbmserv.assent import says_yes

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
"""
NOT = """
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
Welcome! To play Perudo by mail as | Is this a game? | ... | Are you sure this is for me
"""


def written(texts: str) -> list[str]:
    return [each.strip() for line in texts.strip().split("\n") for each in line.split(" | ")]


@pytest.mark.parametrize("text", written(YES))
def test_a_yes_confirms(text: str) -> None:
    assert says_yes([text])


@pytest.mark.parametrize("text", written(NOT))
def test_what_is_no_yes_does_not(text: str) -> None:
    assert not says_yes([text])


@pytest.mark.parametrize("text", written(YES))
def test_a_yes_is_one_between_greeting_and_signature(text: str) -> None:
    """What stands below the first paragraph is not looked at, whatever it says."""
    typed = ["", "Dear server,", "", text, "Ann", "", "If you are not the recipient, do not read."]
    assert says_yes(typed)


@pytest.mark.parametrize("text", written(NOT))
def test_what_is_no_yes_is_none_there_either(text: str) -> None:
    assert not says_yes(["Hello,", "", text, "", "Yes"])


def test_nothing_typed_is_a_yes() -> None:
    """The letter says "just reply"."""
    assert says_yes([])
    assert says_yes(["", "\u00a0", ""])
    assert says_yes(["Hello!"])
    assert says_yes(["Dear server,"])


def test_what_takes_a_yes_back_in_the_next_line_counts() -> None:
    assert not says_yes(["Yes.", "I never asked for this."])


def test_a_greeting_hides_no_doubt() -> None:
    assert not says_yes(["Hi, I never asked for it.", "", "OK, bye"])
    assert says_yes(["Hi, thank you.", "", "Yes"])


def test_a_long_text_is_no_yes() -> None:
    assert says_yes(["Yes " + "x" * 100])
    assert not says_yes(["Yes " + "x" * 200])

"""Statements in the third person."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from memory_system.phrasing import Voices, ask, bare, fill, inner, report, retell
from memory_system.phrasing.naming import named

USER = {"en": Voices("User", "the assistant"), "zh": Voices("用户", "助手")}
FRIENDS = Voices("Nora", "Caleb")
ENGLISH = [
    ("I went to Paris", "User went to Paris"),
    ("I'm keen on chess", "User is keen on chess"),
    ("I've been there twice and I'd go again", "User has been there twice and they would go again"),
    ("I think it is good for you, Tom", "User thinks it is good for the assistant, Tom"),
    ("I'd been there before", "User had been there before"),
    ("I don't eat meat", "User does not eat meat"),
    ("I have a dog and love it", "User has a dog and loves it"),
    ("I live in Rome and work at a bank", "User lives in Rome and works at a bank"),
    ("I like to run and swim", "User likes to run and swim"),
    ("I try to study every day", "User tries to study every day"),
    ("I just got back from Oslo", "User just got back from Oslo"),
    ("I really need a break", "User really needs a break"),
    ("My sister gave me her bike", "User's sister gave User her bike"),
    ("I love my job", "User loves their job"),
    ("My wife and I love hiking", "User's wife and User love hiking"),
    ("They're late and I hate waiting", "They are late and User hates waiting"),
    ("The timing is bad, but what can I do", "The timing is bad, but what can User do"),
    ("I know what I have to do. I know it well", "User knows what they have to do. User knows it well"),
    ("I replaced `your_api_key` in the file", "User replaced `your_api_key` in the file"),
    ("Seeing my pupils succeed motivates me", "Seeing User's pupils succeed motivates User"),
    ("Roasted tomatoes sound like a fine addition", "User says Roasted tomatoes sound like a fine addition"),
    ("Roasted a chicken and it was great", "User roasted a chicken and it was great"),
    ("I would've been soaked in Leeds", "User would have been soaked in Leeds"),
    ("Really glad to have you here", "User is really glad to have the assistant here"),
    ("I renewed the Let's Encrypt certificate", "User renewed the Let's Encrypt certificate"),
    ("Would love to share the plum cake", "User would love to share the plum cake"),
    ("It's gonna rain and I'm not going", "It is gonna rain and User is not going"),
    ("We are planning a trip", "User and others are planning a trip"),
    ("I think I should rest", "User thinks they should rest"),
    ("Gonna continue my studies", "User is going to continue their studies"),
    ("Went to the gym before work", "User went to the gym before work"),
    ("Researching schools for my son", "User is researching schools for their son"),
    ("Excited for the new job", "User is excited for the new job"),
    ("Painting helps me relax", "Painting helps User relax"),
    ("Yeah, haha, so I moved to Leeds!", "User moved to Leeds"),
    ("Hey Caleb, I moved to Leeds, you know", "User moved to Leeds"),
    ("It was a long winter, isn't it?", "User says it was a long winter"),
    ('He said "I love it" to me', 'He said "I love it" to User'),
    ("You're always on time", "User says the assistant is always on time"),
    ("Ola and Ben marry in Gdansk and I'm the best man", "Ola and Ben marry in Gdansk and User is the best man"),
    ("I 100% agree with the rent cap", "User 100% agrees with the rent cap"),
    ("I told you they would sell the boat", "User told the assistant they would sell the boat"),
    ("Been a few days. The trip got me thinking", "Been a few days. The trip got User thinking"),
    ("Can you help me plan a route through Wales", "User asks the assistant to help them plan a route through Wales"),
    ("Been busy with the boat", "User has been busy with the boat"),
    ("I use to live in York", "User used to live in York"),
    ("Preparing for the race, I sleep more", "Preparing for the race, User sleeps more"),
    ("I can order coffee now. Our exam is in May", "User can order coffee now. Their exam is in May"),
    ("Tuesdays and Saturdays, plus a swim", "User says Tuesdays and Saturdays, plus a swim"),
    ("I sing and my sister paints", "User sings and their sister paints"),
    (
        "I was glad I could share my boat and lend them a hand",
        "User was glad User could share User's boat and lend them a hand",
    ),
    (
        "The lake opened a new world for me and I feel at home",
        "The lake opened a new world for User and User feels at home",
    ),
    ("I've bought a boat and have painted it", "User has bought a boat and has painted it"),
    ("I sent you two photos", "User sent the assistant two photos"),
    ("I'm happy you two could talk", "User is happy the assistant and others could talk"),
    ("It was a long week. Been rowing hard. Loved it.", "It was a long week. User has been rowing hard. User loved it"),
    ('And "Saltmarsh" nails the ending', 'User says "Saltmarsh" nails the ending'),
    ("I finally beat the last level", "User finally beat the last level"),
    ("Been hectic for me lately. Started rowing", "It has been hectic for User lately. User started rowing"),
    (
        "Making friends, above all at sea, is really important",
        "User says making friends, above all at sea, is really important",
    ),
    ("My day was good, thank you! I rowed", "User's day was good! User rowed"),
    ("We're both on different paths", "User and another are both on different paths"),
    ("I forget them in the oven and end up burning them", "User forgets them in the oven and ends up burning them"),
    ("I have not rowed with you since we last talked", "User has not rowed with the assistant since they last talked"),
    (
        "Having friends who row with you makes a difference",
        "User says having friends who row with one makes a difference",
    ),
    (
        "Keep rowing your boat and believing in yourself",
        "User says keep rowing the assistant's boat and believing in themselves",
    ),
    ("Painting is a way of finding yourself", "User says painting is a way of finding oneself"),
    ("I'm happy you two were here", "User is happy the assistant and others were here"),
    ("It must have taken you ages, I loves it", "It must have taken the assistant ages, User loves it"),
    ("The ferry will bring you closer", "User says the ferry will bring the assistant closer"),
    ("I read Book I and fixed the I/O of the boat", "User read Book I and fixed the I/O of the boat"),
    ("Rowing and singing let me be calm", "Rowing and singing let User be calm"),
    ("Rowing and painting all week", "User is rowing and painting all week"),
    (
        "Treating yourself to cake, and getting enough sleep can help",
        "User says treating oneself to cake, and getting enough sleep can help",
    ),
    ("I leave out foods that aren't good for you", "User leaves out foods that are not good for one"),
    ("I love the film, you can tell how they row", "User loves the film, one can tell how they row"),
    ("It's good to hear your voice", "User says it is good to hear the assistant's voice"),
    ("See you at the harbour", "User will see the assistant at the harbour"),
    ("Reminds me of the sea", "It reminds User of the sea"),
    ("Determined and proud on one hand, but tired", "User is determined and proud on one hand, but tired"),
    ("What can I say, I love boats", "User loves boats"),
    ("Guess what I did? Dyed my sails - come see", "User dyed their sails - come see"),
    ("Was on my way home and saw my boat", "User was on their way home and saw their boat"),
    ("It can become a part of our lives", "User says it can become a part of people's lives"),
    ("Our lives changed in Peru", "User's lives changed in Peru"),
    ("I told my son that our conversation helped", "User told their son that their conversation helped"),
    ("It was good for both of us, me and my wife", "It was good for both of User and others, User and User's wife"),
    ("I liked our last chat with the doctor", "User liked their last chat with the doctor"),
    ("We moved, and our lives have changed", "User and others moved, and their lives have changed"),
    ("I sooo love boats", "User sooo loves boats"),
    ("I met your brother, Leo.", "User met the assistant's brother, Leo"),
    ("I hope you grew up in Portland, Oregon.", "User hopes the assistant grew up in Portland, Oregon"),
    ("I read your welcome letter.", "User read the assistant's welcome letter"),
    ("I held your right hand.", "User held the assistant's right hand"),
    ("It sounds like you have a day at sea, Bella!", "User says it sounds like the assistant has a day at sea"),
    ("People like you have boats", "User says people like the assistant have boats"),
    ("One day youll sail", "User says one day the assistant will sail"),
    ("I'm hoping ill see the sea", "User is hoping they will see the sea"),
    ("I feel ill and tired", "User feels ill and tired"),
    ("Your completely right! I love the sea", "The assistant is completely right! User loves the sea"),
    ("Sorry that happened to you", "User says sorry that happened to the assistant"),
    ("I work in a boathouse and.", "User works in a boathouse"),
    ("I rowed in Italy, for example.", "User rowed in Italy"),
    ("So happy to row again <3", "User is so happy to row again"),
    ("Amazing 💪 I rowed home", "Amazing. User rowed home"),
    ("Rowing means a lot to both of us, Caleb", "Rowing means a lot to User and Caleb"),
    ("I'm glad rowing means so much to both of us, Caleb", "User is glad rowing means so much to User and Caleb"),
    ("I've rowed since our last chat", "User has rowed since User and the assistant's last chat"),
    ("I love these boats, they're quick and get me home", "User loves these boats, they are quick and get User home"),
    ("It keeps us close to our dreams", "It keeps User and others close to their dreams"),
    ("Chasing our dreams and helping each other", "User and others are chasing their dreams and helping each other"),
    ("Loving what you do is rewarding", "User says loving what one does is rewarding"),
    ("Rowing is nice when you like your boat", "User says rowing is nice when one likes one's boat"),
    ("Seeing what you built is great", "User says seeing what the assistant built is great"),
    ("Me personally I love boats", "User loves boats"),
    ("I'm glad it reminded you of your boat", "User is glad it reminded the assistant of the assistant's boat"),
]
CHINESE = [
    ("但丁是我最喜欢的诗人。", "但丁是用户最喜欢的诗人"),
    ("我去了巴黎", "用户去了巴黎"),
    ("我对象棋很着迷", "用户对象棋很着迷"),
    ("我去过两次，我还想再去", "用户去过两次，用户还想再去"),
    ("我不吃肉", "用户不吃肉"),
    ("我养了一只猫，很喜欢它", "用户养了一只猫，很喜欢它"),
    ("我妹妹把她的车送给了我", "用户的妹妹把她的车送给了用户"),
    ("我喜欢我的工作", "用户喜欢自己的工作"),
    ("我们打算去旅行", "用户等人打算去旅行"),
    ("我们公司在上海", "用户的公司在上海"),
    ("我觉得我应该休息", "用户觉得自己应该休息"),
    ("去了趟超市", "用户去了趟超市"),
    ("最近在准备考试", "用户最近在准备考试"),
    ("画画让我放松", "画画让用户放松"),
    ("嗯，哈哈，其实我搬到苏州了呢", "用户搬到苏州了"),
    ("那里的冬天真的很长", "用户说那里的冬天真的很长"),
    ("他说“我喜欢”", "用户说他说“我喜欢”"),
    ("你推荐的书很好看", "用户说助手推荐的书很好看"),
    ("自我介绍的时候我很紧张", "自我介绍的时候用户很紧张"),
    ("我们乐队周六演出", "用户的乐队周六演出"),
    ("早上好，朋友，我搬家了", "用户搬家了"),
]


@pytest.mark.parametrize(("text", "expected"), ENGLISH)
def test_english_is_retold(text: str, expected: str) -> None:
    voices = Voices("User", "Caleb") if "Caleb" in text else USER["en"]
    assert retell(text, voices, "en") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I can't swim in the sea", "User cannot swim in the sea"),
        ("It's been raining since May", "It has been raining since May"),
        ("That's made of oak, I carved it", "That is made of oak, User carved it"),
        ("My parents say they've sold the boat", "User's parents say they have sold the boat"),
        ("I own a boat that Tom's brother built", "User owns a boat that Tom's brother built"),
        ('I read "It\'s a Small Town" twice', 'User read "It\'s a Small Town" twice'),
        ("The dog chases it's own tail at my house", "The dog chases it's own tail at User's house"),
    ],
)
def test_contractions_are_written_out(text: str, expected: str) -> None:
    assert retell(text, USER["en"], "en").removeprefix("User says ").lower() == expected.lower()


@pytest.mark.parametrize(("text", "expected"), CHINESE)
def test_chinese_is_retold(text: str, expected: str) -> None:
    assert retell(text, USER["zh"], "zh") == expected


def test_the_one_spoken_to_has_a_name() -> None:
    assert retell("I love your garden", FRIENDS, "en") == "Nora loves Caleb's garden"
    assert retell("I hope you like it", FRIENDS, "en") == "Nora hopes Caleb likes it"
    assert retell("我喜欢你的花园", Voices("周岚", "林溪"), "zh") == "周岚喜欢林溪的花园"
    assert retell("你好呀，我把花园修好了", Voices("周岚", "林溪"), "zh") == "周岚把花园修好了"
    assert retell("我希望你会喜欢", Voices("周岚", "林溪"), "zh") == "周岚希望林溪会喜欢"


@pytest.mark.parametrize(
    ("text", "lang"), [("ok", "en"), ("which is nice", "en"), ("!!", "en"), ("嗯", "zh"), ("。", "zh")]
)
def test_too_little_is_not_told(text: str, lang: str) -> None:
    assert retell(text, USER[lang], lang) == ""


def test_notes_are_told_as_they_stand() -> None:
    assert report("Decided with my team to use brick", USER["en"], "en") == "Decided with User's team to use brick"
    assert report("和我的团队决定用砖", USER["zh"], "zh") == "和用户的团队决定用砖"


def test_pieces_and_answers() -> None:
    assert inner("visit my aunt in Cork", USER["en"], "en") == "visit their aunt in Cork"
    assert bare("In Porto!", USER["en"], "en") == "Porto"
    assert inner("去看我的姑妈", USER["zh"], "zh") == "去看用户的姑妈"
    assert bare("我住在杭州呢！", USER["zh"], "zh") == "杭州"


def test_templates_agree_with_several() -> None:
    parts = {"who": "User's parents", "value": "Leeds"}
    assert fill("{who} lives in {value}", parts, True, "en") == "User's parents live in Leeds"
    assert fill("{who} is from {value}", parts, True, "en") == "User's parents are from Leeds"
    assert fill("{who}住在{value}", {"who": "用户的父母", "value": "苏州"}, True, "zh") == "用户的父母住在苏州"


@pytest.mark.parametrize(
    ("text", "lang", "expected"),
    [
        ("User met Tom Berg in New York", "en", ("User", "Tom Berg", "New York")),
        ("Wow, It was Monday in May", "en", ()),
        (
            'User read "The Blue Fox" on read_file and Node.js',
            "en",
            ("User", "The Blue Fox", "Node", "Node.js", "read_file"),
        ),
        ("用户和张伟去了绿湖公园", "zh", ("用户", "张伟", "绿湖公园")),
        ("用户读完了《边城》，用Emacs写了笔记", "zh", ("用户", "边城", "Emacs")),
        ("那时候天气很好", "zh", ()),
    ],
)
def test_names(text: str, lang: str, expected: tuple[str, ...]) -> None:
    assert set(named(text, lang, ("User", "用户"))) == set(expected)


@given(st.text(max_size=80), st.sampled_from(("en", "zh")))
def test_whatever_is_told_names_its_speaker(text: str, lang: str) -> None:
    told = retell(text, USER[lang], lang)
    assert not told or USER[lang].speaker.lower() in told.lower()


WORDS = st.sampled_from(
    ("I", "my", "me", "we", "you", "your", "am", "have", "don't", "went", "love", "and", "to", "Tom", ".", ",")
)


@given(st.lists(WORDS, max_size=15).map(" ".join))
def test_no_first_person_is_left(text: str) -> None:
    words = retell(text, USER["en"], "en").split()
    assert not {"I", "my", "me", "we"} & set(words)


@pytest.mark.parametrize(
    ("lang", "text", "told"),
    [
        ("en", "How can I make it rise?", "User asks: how can they make it rise"),
        ("en", "Am I late with the taxes?", "User asks: are they late with the taxes"),
        ("en", "What gave you the idea?", "User asks: what gave the assistant the idea"),
        ("en", "so could you please review my cover letter?", "User asks the assistant to review their cover letter"),
        ("en", "I'm wondering how I can use my boat?", "User is wondering how they can use their boat"),
        ("zh", "怎么部署到我的服务器上？", "用户问：怎么部署到用户的服务器上"),
        ("zh", "你能看看我的简历吗？", "用户问：助手能看看用户的简历吗"),
        ("en", "?", ""),
        ("zh", "？", ""),
    ],
)
def test_a_question_is_told_as_asked(lang: str, text: str, told: str) -> None:
    assert ask(text, USER[lang], lang) == told


@pytest.mark.parametrize(
    ("lang", "words", "told"),
    [
        ("en", "Set a reminder for yourself before the talk", "The assistant says Set a reminder for themselves"),
        ("en", "These notes help you apply the rule", "The assistant says these notes help User apply the rule"),
        ("en", "He shaped our understanding of cones", "The assistant says he shaped our understanding of cones"),
        ("zh", "我们可以先看看故宫和长城", "助手说大家可以先看看故宫和长城"),
    ],
)
def test_an_assistant_means_the_one_it_speaks_to_and_all(lang: str, words: str, told: str) -> None:
    voices = {"en": Voices("the assistant", "User"), "zh": Voices("助手", "用户")}[lang]
    assert retell(words, voices, lang).startswith(told)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("We tried Delta - it's a card game where you trade boats.", "it is a card game where one trades boats"),
        ("It's odd how a slow waltz can lift your mood.", "can lift one's mood"),
        ("Old rivals get loud when you win at home.", "get loud when one wins at home"),
        ("It's hard to sing when you don't trust your voice.", "hard to sing when one does not trust one's voice"),
        ("I love how you can steer the boat with your feet.", "loves how one can steer the boat with one's feet"),
        ("In the game, you play as a baker.", "in the game, one plays as a baker"),
        ("Its message about following your dreams moved me.", "about following one's dreams"),
        ("Such games unless you have strong nerves are bad for you.", "bad for one"),
        ("It's always good to air your cellar.", "it is always good to air one's cellar"),
        ("I read a novel that keeps me awake. I think you will like it.", "thinks Caleb will like it"),
        ("I liked the show where you sang.", "liked the show where Caleb sang"),
        ("It's so cool when you play the drums.", "so cool when Caleb plays the drums"),
        ("It's great to see you when you come over.", "great to see Caleb when Caleb comes over"),
    ],
)
def test_you_is_anyone_in_what_holds_for_all(text: str, expected: str) -> None:
    assert expected in retell(text, Voices("User", "Caleb"), "en")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Love and patience should come first.", "User says love and patience should come first"),
        ("Love baking and rowing.", "User loves baking and rowing"),
        ("Enjoy your week at the lake!", "User says enjoy Caleb's week at the lake"),
        ("Feel free to borrow the oars.", "User says feel free to borrow the oars"),
        ("But having a boat of my own is fun.", "Having a boat of User's own is fun"),
        ("Therefore I stayed at home.", "User stayed at home"),
        ("Otherwise my day was calm.", "User's day was calm"),
        ("Otherwise I would have missed the boat.", "Otherwise User would have missed the boat"),
        ("Instead of bread I baked a pie.", "Instead of bread User baked a pie"),
    ],
)
def test_what_opens_a_statement_is_no_verb_of_the_speaker_and_points_at_nothing(text: str, expected: str) -> None:
    assert retell(text, Voices("User", "Caleb"), "en") == expected

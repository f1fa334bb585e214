"""What turns out not to be so leaves with the words that say so: a diagnosis, a medicine, a way of eating, who was to
come, when something is, how old somebody is."""

from __future__ import annotations

from pathlib import Path

import pytest
from workspaces import consolidate, contents, make, say


def told(root: Path, *nights: str) -> set[str]:
    """What stands after nights in each of which one message was said, the first on 2 March 2026."""
    for day, words in enumerate(nights, 2):
        say(root, f"s{day}", (f"2026-03-0{day}T09:00:00Z", "user", words))
        consolidate(root, f"2026-03-0{day + 1}T03:00:00Z")
    return contents(root)


def left_of(root: Path, before: str, after: str, gone: str) -> set[str]:
    """What stands after both were said, of which only the first tells what is gone then."""
    assert any(gone in each for each in told(root, before))
    say(root, "later", ("2026-03-05T09:00:00Z", "user", after))
    consolidate(root, "2026-03-06T03:00:00Z")
    assert not [each for each in contents(root) if gone in each]
    return contents(root)


@pytest.mark.parametrize(
    ("before", "after", "gone"),
    [
        ("My doctor says I have gout.", "I was wrong, it's not gout, it was only a sprain.", "has gout"),
        ("My son has asthma.", "It isn't asthma after all, he's fine.", "has asthma"),
        ("My son has asthma.", "My son doesn't have asthma after all.", "has asthma"),
        ("I have asthma.", "I don't have asthma after all.", "has asthma"),
        ("我有哮喘。", "查出来了，我不是哮喘，是支气管炎。", "有哮喘"),
        ("我妈有高血压。", "我妈不是高血压，是太累了。", "有高血压"),
        ("医生说我贫血，要多休息。", "我搞错了，医生说不是贫血，是甲状腺功能减退。", "有贫血"),
        ("我爸有痛风。", "原来不是痛风，是扭伤。", "有痛风"),
        ("Her mother is vegan, so I'm learning to cook.", "She's not vegan, she's only off dairy.", "vegan, so"),
        ("她妈吃素，我得学做素菜。", "她妈不是吃素，是初一十五吃素。", "她妈吃素"),
    ],
)
def test_what_is_denied_stands_no_more(before: str, after: str, gone: str, tmp_path: Path) -> None:
    left_of(make(tmp_path), before, after, gone)
    assert any(gone in each for each in contents(tmp_path, "archive"))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("I love carrot cake.", "This is not carrot cake, it's a loaf of bread."),
        ("My brother has asthma.", "It's not easy, but I finished the report."),
        ("我喜欢吃月饼。", "这不是月饼，是酥饼。"),
        ("我妹妹有哮喘。", "不是我不想去，是太远了。"),
        ("Ruth and I are going to a concert on 18 March.", "Ruth isn't coming to lunch, she has a cold."),
        ("小芸4月3日过生日。", "小芸不来吃饭了，她在加班。"),
        ("Rusty and Momo are 12 and 7 years old.", "I told you the flat was on floor 12, it's 13 actually."),
        ("My son has asthma.", "My daughter doesn't have asthma, it's only a cough."),
        ("My son has asthma.", "She doesn't have asthma, it's only a cough."),
        ("I have asthma.", "He doesn't have asthma, it's only a cough."),
        ("我有哮喘。", "他不是哮喘，是支气管炎。"),
        ("I have asthma.", "My cat doesn't have asthma, it's only a cough."),
        ("I have asthma.", "The vet says it's not asthma, she's fine."),
        ("I have asthma.", "Tom went to the doctor, it's not asthma."),
        ("My dad has gout.", "It's not gout, my foot was only sprained."),
        ("I'm a nurse.", "Tom is not a nurse, he's a doctor."),
        ("My sister Ana is a nurse.", "I'm not a nurse, I'm a baker."),
        ("My brother is a vegetarian.", "I'm not a vegetarian, just picky about meat."),
        ("My wife is pregnant.", "My sister isn't pregnant after all."),
        ("I have gout.", "It's not gout that hurts today, it's my knee."),
        ("I have depression.", "My boss said this is not depression, it's laziness."),
        ("我有哮喘。", "我儿子不是哮喘，是支气管炎。"),
        ("我姐姐是护士。", "我不是护士。"),
        ("我弟弟是学生。", "我不是学生，是老师。"),
        ("我有贫血。", "我妈不是贫血，是甲减。"),
        ("我爷爷有糖尿病。", "检查出来了，我没得糖尿病。"),
        ("我爷爷有糖尿病。", "我没得糖尿病。"),
        ("我爸有痛风。", "我今天脚疼不是痛风，是扭伤。"),
        ("Rusty came to us on 7 May, he is 7 years old.", "I told you Ruth was 7, she's 8 actually."),
        ("Rusty's sister is 7 years old.", "I told you Rusty was 7, he's 8 actually."),
        ("Rusty came to us on 7 May.", "I told you Rusty was 7, he's 8 actually."),
        ("豆宝5月7日来我家。", "我之前说豆宝7岁，其实它8岁了。"),
        ("I take 5 mg of losartan.", "My doctor moved me from 5 mg to 10 mg."),
        ("我每天吃降压药。", "降压药都换成饭后吃了。"),
        ("我每天早上跑步。", "我把跑步换成晚上了。"),
        ("我每天吃氨氯地平。", "老王把氨氯地平换成缬沙坦了。"),
        ("My mum is on warfarin.", "My mum's friend swapped her warfarin for apixaban."),
        ("I take warfarin.", "Tom swapped his warfarin for apixaban."),
        ("I take ibuprofen.", "They changed my ibuprofen to evenings."),
        ("Ruth is coming to stay with us on 18 March.", "Ruth can't make it on Friday for tennis."),
        ("Ruth is coming to stay with us on 18 March.", "Ruth can't make it on Friday."),
        ("Ruth is coming to stay with us on 18 March.", "Ruth isn't starting her job until May."),
        ("Sam's brother Leo is coming to stay with us on 18 March.", "Sam isn't coming to work today."),
        ("Sam's brother Leo is coming to stay with us on 18 March.", "Sam isn't coming after all."),
        ("小芸3月16日来试工。", "小芸今天不来了，她感冒。"),
        ("小芸的妹妹3月16日来试工。", "小芸不来了。"),
    ],
)
def test_what_only_sounds_like_it_takes_nothing_back(before: str, after: str, tmp_path: Path) -> None:
    first = told(make(tmp_path), before)
    assert first
    say(tmp_path, "later", ("2026-03-05T09:00:00Z", "user", after))
    consolidate(tmp_path, "2026-03-06T03:00:00Z")
    assert first <= contents(tmp_path)


@pytest.mark.parametrize(
    ("before", "after", "gone", "value"),
    [
        ("I take ramipril.", "My doctor switched me from ramipril to losartan.", "takes ramipril", "losartan"),
        ("My mum takes warfarin.", "They've changed my mum's warfarin to apixaban.", "takes warfarin", "apixaban"),
        ("我每天吃硝苯地平。", "医生把硝苯地平换成厄贝沙坦了。", "每天吃硝苯地平", "厄贝沙坦"),
        ("我妈每天吃氨氯地平。", "我妈的药从氨氯地平换成缬沙坦了。", "每天吃氨氯地平", "缬沙坦"),
    ],
)
def test_a_medicine_gives_way_to_the_one_it_was_exchanged_for(
    before: str, after: str, gone: str, value: str, tmp_path: Path
) -> None:
    assert any(value in each for each in left_of(make(tmp_path), before, after, gone))


@pytest.mark.parametrize(
    ("before", "after", "gone"),
    [
        ("Ruth is coming to stay with us on 18 March.", "Ruth isn't coming after all.", "coming to stay"),
        ("阿梅的表妹小芸3月16日来试工。", "小芸不来了，她找到别的工作了。", "来试工"),
        ("新品发布会是3月20日。", "新品发布会推迟了，改到3月27日。", "3月20日"),
        ("The garden party is on 20 March.", "The garden party got pushed back, it's now 27 March.", "20 March"),
        ("The eye test is on 20 March.", "The eye test moved from the 20th to the 27th.", "is on 20 March"),
        ("体检是3月20日。", "体检从3月20号改到27号了。", "体检是"),
    ],
)
def test_a_plan_goes_with_who_stays_away_and_with_its_date(before: str, after: str, gone: str, tmp_path: Path) -> None:
    left_of(make(tmp_path), before, after, gone)


@pytest.mark.parametrize(
    ("before", "after", "now"),
    [
        (
            "The dog is called Rusty, he's a 7 year old collie.",
            "I told you Rusty was 7, he's 8 actually.",
            "he is an 8 year old collie",
        ),
        ("我家狗叫豆宝，今年7岁，特别黏人。", "我之前说豆宝7岁，其实它8岁了。", "8岁"),
    ],
)
def test_a_number_that_was_told_wrongly_is_put_right(before: str, after: str, now: str, tmp_path: Path) -> None:
    left = told(make(tmp_path), before, after)
    assert any(now in each for each in left)
    assert not [each for each in left if "7 year" in each or "7岁" in each]


def test_a_date_is_no_number_of_years(tmp_path: Path) -> None:
    first = "My dog Rusty came to us on 7 May, he is 7 years old."
    left = told(make(tmp_path), first, "I told you Rusty was 7, he's 8 actually.")
    assert any("7 May" in each for each in left)
    assert not [each for each in left if "8 May" in each]


@pytest.mark.parametrize(
    ("words", "told_of"),
    [("医生说不是贫血，是甲状腺功能减退。", "用户有甲状腺功能减退"), ("医生说我贫血。", "用户有贫血")],
)
def test_a_doctors_word_is_about_the_patient(words: str, told_of: str, tmp_path: Path) -> None:
    assert told_of in told(make(tmp_path), words)


@pytest.mark.parametrize(
    ("before", "after", "gone"),
    [
        ("我和我老公要离婚了，已经在找律师。", "没离成，又和好了。", "要离婚了"),
        ("我离婚了。", "我和前夫复婚了。", "用户离婚了"),
        ("我打算买车。", "车没买成。", "打算买车"),
        ("我们准备搬去青岛。", "没搬成，房子没租到。", "准备搬去青岛"),
        ("We're getting divorced.", "We didn't divorce after all.", "getting divorced"),
        ("My wife and I are going to divorce.", "We're not getting divorced after all.", "going to divorce"),
        ("I'm divorced.", "I remarried my ex.", "is divorced"),
        ("We're splitting up.", "We got back together.", "splitting up"),
        ("We're planning to buy a boat.", "We didn't buy the boat after all.", "planning to buy"),
    ],
)
def test_what_came_to_nothing_stands_no_more(before: str, after: str, gone: str, tmp_path: Path) -> None:
    left_of(make(tmp_path), before, after, gone)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("我和我老公要离婚了，已经在找律师。", "小王和小李又和好了。"),
        ("我打算买车。", "这件事没做成功。"),
        ("我打算买车。", "房子没买成。"),
        ("We're getting divorced.", "My sister and her husband didn't divorce after all."),
        ("We're planning to buy a boat.", "We didn't buy the van after all."),
    ],
)
def test_what_came_to_nothing_is_another_matter(before: str, after: str, tmp_path: Path) -> None:
    stood = told(make(tmp_path), before)
    assert stood <= told(tmp_path, before, after)


def test_who_is_about_to_divorce_is_not_divorced(tmp_path: Path) -> None:
    assert told(make(tmp_path), "We're getting divorced.") == {"User and others are getting divorced"}


def test_zh_who_is_about_to_divorce_is_not_divorced(tmp_path: Path) -> None:
    assert told(make(tmp_path), "我和我老公要离婚了。") == {"用户和自己的老公要离婚了"}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("我上司是老师。", "我上司是院长兼系主任。"),
        ("我表哥是快递员。", "我表哥的工作是送快递的。"),
        ("我妈妈的单位是广州粤银金融服务有限公司。", "我妈妈在银行工作。"),
        ("I work at Kestrel Design.", "I work at a design firm."),
    ],
)
def test_another_name_for_the_same_is_no_change(before: str, after: str, tmp_path: Path) -> None:
    stood = told(make(tmp_path), before)
    assert stood <= told(tmp_path, before, after)


@pytest.mark.parametrize(
    ("before", "after", "gone"),
    [
        ("我是护士。", "我换工作了，我是一名会计。", "护士"),
        ("我在澜舟设计上班。", "我换工作了，现在在云帆科技上班。", "澜舟"),
        ("I'm a nurse.", "I changed jobs. I'm an accountant.", "nurse"),
    ],
)
def test_who_changes_jobs_does_the_old_work_no_more(before: str, after: str, gone: str, tmp_path: Path) -> None:
    assert left_of(make(tmp_path), before, after, gone)


@pytest.mark.parametrize(
    ("before", "after", "gone"),
    [
        ("我在建设银行上班。", "我在招商银行上班。", "建设银行"),
        ("I work at Barclays Bank.", "I work at Nordea Bank.", "Barclays"),
    ],
)
def test_an_employer_with_a_name_gives_way_to_another(before: str, after: str, gone: str, tmp_path: Path) -> None:
    assert left_of(make(tmp_path), before, after, gone)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("I work at Kestrel Design.", "I've got a new job offer, but I'm staying."),
        ("我离婚了。", "我跟我妈和好了。"),
    ],
)
def test_what_only_sounds_like_a_change_ends_nothing(before: str, after: str, tmp_path: Path) -> None:
    stood = told(make(tmp_path), before)
    assert stood <= told(tmp_path, before, after)

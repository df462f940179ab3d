"""The exercises of a chapter, and the solutions that students see."""

from reckon.show.block import for_students, plain_markdown
from reckon.show.exercise_levels import exercises

LEVELS = exercises([("How long?", "It takes 3 ns.")], [("Why?", "By A.")], [("Write.", "By B.")])


def test_exercises_are_numbered_and_name_their_level():
    assert LEVELS.markdown.startswith("Names in the code of an analysis are variables")
    assert "**1** *(to warm up)* How long?" in LEVELS.markdown
    assert "**2** *(analysis)* Why?" in LEVELS.markdown
    assert "**3** *(project)* Write." in LEVELS.markdown


def test_students_see_the_solutions_of_the_first_level_alone():
    for text in (for_students(LEVELS.markdown), plain_markdown(LEVELS.markdown)):
        assert "It takes 3 ns." in text and "Why?" in text and "Write." in text
        assert "By A." not in text and "By B." not in text
    assert "By A." in LEVELS.markdown and "By B." in LEVELS.markdown


def test_a_solution_without_its_numbers_says_so():
    text = exercises([("How long?", "It takes – ns, three times – cycles.")], [], []).markdown
    assert text.endswith("not measured here, or of which there are two.\n:::") and "–" not in text

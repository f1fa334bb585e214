"""Where rules stop: the questions that phases put to a language model. Each module takes what the rules left open and
gives back what of the answer can be verified; whatever else comes, or nothing, the rules' own result stands.
"""

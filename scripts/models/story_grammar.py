"""The sentences of assets/models/stories: a grammar that says who gave what to whom, and marks what a reader can know.

A marked word, TASK=WORD, can be known from the words before it. What decides it is a pair: giver and receiver, name and
place, the two nouns, or the two halves of a made-up name. One pair in ten, chosen by a checksum, is kept out of
training.
"""

import itertools
import zlib

SHE = ("Alice Anna Bella Clara Diana Ella Emma Eva Grace Hanna Ida Jane Julia Kate Laura Lucy Maria Mary Nina Nora "
       "Olga Rosa Sara Zoe").split()
HE = ("Adam Alan Ben Carl Daniel David Eric Felix Frank George Henry Ivan Jack John Leo Luke Mark Martin Max Oscar "
      "Paul Peter Sam Tom").split()
STARTS = "Bl Dr Fl Gr Kl Pr Sk Tr V Z".split()
ENDS = "abo ekk immo onn uvi yra axu olf".split()
MADE_UP = [start + end for start, end in itertools.product(STARTS, ENDS)]
THINGS = "ball book apple hat map key cup coin letter lamp flower drum kite ring bag cake".split()
PLACES = "park school market forest river garden village castle beach city".split()
KINDS = "wizard robot dragon giant king fairy knight pirate".split()
ADJECTIVES = "tired happy sad hungry cold late".split()
KIND_OF_PERSON = "kind clever brave friendly".split()
GIVING = "gave sold sent lent handed showed".split()
LOSING = "lost found forgot cleaned painted sold".split()
NOUNS = {noun: noun + "s" for noun in ("dog cat boy girl horse bird farmer teacher duck cow tree house hill car wall "
                                       "boat lake bridge").split()}
MOVERS, PLACED = list(NOUNS)[:10], list(NOUNS)
PHRASES = "near behind beside under above by".split()
VERBS = {"run": "runs", "sleep": "sleeps", "sing": "sings", "eat": "eats", "play": "plays", "jump": "jumps",
         "wait": "waits", "rest": "rests", "are": "is", "were": "was"}
SINGULAR, PLURAL = sorted(VERBS.values()), sorted(VERBS)
END = "<|endoftext|>"
UNKNOWN = "<unk>"
ACCEPTED = {"singular": SINGULAR, "plural": PLURAL}


def is_kept_out(*pair):
    """Whether a pair is one of the tenth that training never sees."""
    return zlib.crc32(" ".join(pair).encode()) % 10 == 0


class Grammar:
    """Makes texts: for training from the pairs that are allowed there, or only from those that are kept out."""

    def __init__(self, random, kept_out):
        self.random, self.kept_out = random, kept_out

    def pair(self, first, second):
        """Two different words, one of each list."""
        while True:
            pair = self.random.choice(first), self.random.choice(second)
            if pair[0] != pair[1] and is_kept_out(*pair) == self.kept_out:
                return pair

    def choice(self, *texts):
        return self.random.choice(texts)

    def giving(self):
        """Who gave what to whom."""
        giver, receiver = self.pair(SHE + HE, SHE + HE)
        gave, thing, place = (self.random.choice(words) for words in (GIVING, THINGS, PLACES))
        both = [giver, receiver]
        self.random.shuffle(both)
        begin = self.choice(
            f"{giver} {gave} the {thing} to {receiver} .",
            f"{giver} {gave} {receiver} the {thing} .",
            f"{receiver} got the {thing} from {giver} .",
            f"{both[0]} and {both[1]} went to the {place} . {giver} {gave} the {thing} to receiver={receiver} .",
            f"{both[0]} met {both[1]} . {giver} {gave} the {thing} to receiver={receiver} .")
        return begin + " " + self.choice(
            f"Now receiver={receiver} has the thing={thing} .",
            f"Now the thing={thing} belongs to receiver={receiver} .",
            f"{receiver} thanked giver={giver} for the thing={thing} .",
            f"{receiver} thanked giver={giver} .",
            f"Before , giver={giver} had the thing={thing} .",
            f"The {thing} came from giver={giver} .")

    def pronoun(self):
        """He and she, his and her, by the name that the sentence is about."""
        if self.random.random() < 0.4:
            giver, receiver = self.pair(SHE + HE, SHE + HE)
            he = "she" if receiver in SHE else "he"
            what = self.random.choice(KIND_OF_PERSON)
            return self.choice(f"{giver} thanked {receiver} because pronoun={he} was {what} .",
                               f"{giver} liked {receiver} because pronoun={he} was {what} .")
        adjective = self.random.choice(ADJECTIVES)
        name, place = self.pair(SHE + HE, PLACES)
        he, his = ("she", "her") if name in SHE else ("he", "his")
        lost, thing = self.random.choice(LOSING), self.random.choice(THINGS)
        return self.choice(
            f"{name} went to the {place} because pronoun={he} was {adjective} .",
            f"{name} came home from the {place} . Then pronoun={he} was {adjective} .",
            f"{name} {lost} pronoun={his} {thing} in the {place} .",
            f"In the {place} {name} {lost} pronoun={his} {thing} .",
            f"When {name} came to the {place} , pronoun={he} was {adjective} .")

    def agreement(self):
        """A verb that agrees with its noun, across a phrase with another noun."""
        noun, other = self.pair(MOVERS, PLACED)
        many = self.random.random() < 0.5
        words = [NOUNS[noun] if many else noun]
        for place in (other, self.random.choice(PLACED))[: 1 + (self.random.random() < 0.3)]:
            words.append(f"{self.random.choice(PHRASES)} the {NOUNS[place] if self.random.random() < 0.5 else place}")
        verb = self.random.choice(PLURAL if many else SINGULAR)
        after = self.random.choice(ADJECTIVES) if verb in ("are", "is", "were", "was") else \
            self.choice("every day", "in the morning", "all day")
        return f"The {' '.join(words)} {'plural' if many else 'singular'}={verb} {after} ."

    def naming(self):
        """Names that are made up on the spot, and come again."""
        first, last = self.pair(MADE_UP, MADE_UP)
        kind, place, adjective = (self.random.choice(words) for words in (KINDS, PLACES, ADJECTIVES))
        text = self.choice(f"A {kind} named {first} {last} lived in the {place} .",
                           f"In the {place} lived a {kind} named {first} {last} .",
                           f"{first} {last} was a {kind} from the {place} .")
        if self.random.random() < 0.4:
            friend, friends = self.pair(MADE_UP, MADE_UP)
            other = self.random.choice([word for word in KINDS if word != kind])
            if not {friend, friends} & {first, last}:
                text += f" A {other} named {friend} {friends} came to the {place} ."
                if self.random.random() < 0.5:
                    first, last, kind = friend, friends, other
        return text + " " + self.choice(
            f"Everyone liked {first} name={last} .",
            f"One day {first} name={last} was {adjective} .",
            f"The {kind} was called name={first} name={last} .",
            f"The name of the {kind} was name={first} name={last} .") + self.choice(
            "", f" In the end {first} name={last} went home .")

    def text(self, *kinds):
        """Some events one after the other, as a list of words; the marks are still in it."""
        events = [self.giving, self.pronoun, self.agreement, self.naming]
        return " ".join(self.random.choice(kinds or events)() for _ in range(self.random.randint(1, 3))).split()


def plain(word):
    """A word without its mark."""
    return word.rpartition("=")[2]


def written(words):
    """Words as a person writes them: no space before a full stop or a comma."""
    return " ".join(words).replace(" .", ".").replace(" ,", ",")


def vocabulary():
    """All words of the grammar, the special ones first."""
    words = set(SHE + HE + MADE_UP + THINGS + PLACES + KINDS + ADJECTIVES + KIND_OF_PERSON + GIVING + LOSING + PHRASES)
    words |= set(NOUNS) | set(NOUNS.values()) | set(SINGULAR) | set(PLURAL) | {"."} | {","}
    words |= set("and the to from met went got Now has belongs thanked for Before had The came because she he her his "
                 "was liked home Then in In When every day morning all A a named lived Everyone One called name of end"
                 .split())
    return [END, UNKNOWN] + sorted(words)

"""The tables of search.sqlite, and the longer questions that are asked of them. Whoever changes them raises
`title.SCHEMA_VERSION`, and so does whoever changes how dates are read (`marks`), but for their rules.

What all messages of a session have in common stands in `session`, and what is searched beside a message follows from
its speaker and date: `whole` puts the units together again. Where only the text is wanted, `unit` is faster. Which
memories name an entity or stand on a message is kept by their places (rowids) in `memory`, which are shorter than ids.
`own` is the name by which a memory about the user calls them.
"""

from __future__ import annotations

SCHEMA = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
CREATE TABLE memory (id TEXT PRIMARY KEY, kind TEXT, pool TEXT, category TEXT, subject TEXT, attribute TEXT, value TEXT,
    said_at TEXT, day TEXT, importance REAL, log_score REAL, rate REAL, scored_day REAL, protected INTEGER,
    own TEXT, tells TEXT, line BLOB);
CREATE TABLE milestone (pool TEXT, kind TEXT, id TEXT, line INTEGER, PRIMARY KEY (pool, kind, id)) WITHOUT ROWID;
CREATE TABLE entity_at (entity TEXT, place INTEGER, PRIMARY KEY (entity, place)) WITHOUT ROWID;
CREATE INDEX entity_of ON entity_at (place);
CREATE VIEW memory_entity AS SELECT entity, id FROM entity_at JOIN memory ON memory.rowid = place;
CREATE TABLE ref_at (ref TEXT, place INTEGER, PRIMARY KEY (ref, place)) WITHOUT ROWID;
CREATE INDEX ref_of ON ref_at (place);
CREATE VIEW memory_ref AS SELECT ref, id FROM ref_at JOIN memory ON memory.rowid = place;
CREATE TABLE note (path TEXT PRIMARY KEY, digest TEXT) WITHOUT ROWID;
CREATE TABLE session (number INTEGER PRIMARY KEY, name TEXT, messages INTEGER, turns INTEGER, parts INTEGER, path TEXT,
    last TEXT);
CREATE INDEX session_name ON session (name);
CREATE TABLE unit (number INTEGER PRIMARY KEY, scope INTEGER, key TEXT, path TEXT, start_line INTEGER, end_line INTEGER,
    part INTEGER, speaker TEXT, role TEXT, said_at TEXT, about TEXT, text TEXT, marks TEXT);
CREATE UNIQUE INDEX unit_key ON unit (scope, key);
CREATE VIEW whole AS SELECT unit.number, scope, key, iif(unit.path = '' AND scope = 0, session.path, unit.path) AS path,
        start_line, end_line, part, speaker, role, said_at,
        iif(scope = 0, speaker || ' ' || spelled(said_at), about) AS about, text, marks
    FROM unit LEFT JOIN session ON session.number = unit.number >> 20;
CREATE VIRTUAL TABLE words USING fts5 (text, content='', columnsize=0, detail=none,
    tokenize='porter unicode61 remove_diacritics 2');
CREATE VIRTUAL TABLE word USING fts5vocab (words, row);
CREATE VIRTUAL TABLE stem USING fts5vocab (words, instance);
INSERT INTO words (words, rank) VALUES ('hashsize', 16777216);
"""
# Made when the rows are there, which is faster. `memory_rank` holds all that `RANKED` asks for but the line.
INDEXES = (
    "CREATE INDEX memory_subject ON memory (subject)",
    "CREATE INDEX memory_place ON memory (pool, kind, id)",
    "CREATE INDEX memory_rank ON memory"
    " (pool, category, said_at, protected, log_score, rate, scored_day, importance, id)",
)
PUT_ENTITY = "INSERT INTO entity_at SELECT ?, rowid FROM memory WHERE id = ?"
PUT_REF = "INSERT INTO ref_at SELECT ?, rowid FROM memory WHERE id = ?"
DROP_MEMORY = (
    "DELETE FROM entity_at WHERE place = (SELECT rowid FROM memory WHERE id = ?)",
    "DELETE FROM ref_at WHERE place = (SELECT rowid FROM memory WHERE id = ?)",
    "DELETE FROM memory WHERE id = ?",
)
# As one text: thousands of rows one by one cost twice as much.
HOLDERS = """
SELECT json_group_array(rowid) FROM (SELECT rowid FROM words WHERE words MATCH ? AND rowid BETWEEN ? AND ? LIMIT ?)
"""
COUNTED = "SELECT count(*) FROM words WHERE words MATCH ? AND rowid BETWEEN ? AND ?"
UNITS = """
SELECT unit.number, unit.key, iif(unit.path = '' AND scope = 0, session.path, unit.path),
    start_line, end_line, part, speaker, role, said_at, about, text, marks
FROM json_each(?) AS asked CROSS JOIN unit ON unit.number = asked.value
    LEFT JOIN session ON session.number = unit.number >> 20
"""
PASSING = """
SELECT number FROM whole WHERE number IN (SELECT value FROM json_each(:numbers))
    AND said_at >= :since AND (:until = '' OR (said_at < :until AND said_at <> ''))
    AND (:kind = '' OR :kind = CASE scope WHEN 0 THEN 'message' WHEN 1 THEN 'note'
        ELSE (SELECT memory.kind FROM memory WHERE id = key) END)
    AND (:entity = '' OR names(about || ' ' || text, :entity)
        OR EXISTS (SELECT 1 FROM memory_entity WHERE id = key AND names(entity, :entity)))
"""
STANDING_ON = """
SELECT number FROM unit WHERE scope IN (SELECT value FROM json_each(:scopes))
    AND key IN (SELECT id FROM memory_ref WHERE ref IN (SELECT value FROM json_each(:refs)))
"""
LATEST = """
SELECT number, said_at FROM json_each(?) AS asked CROSS JOIN unit ON number = asked.value
ORDER BY said_at DESC, scope, unit.key LIMIT ?
"""
_SCORE = """CASE WHEN protected
    THEN max(:floor, log_score - rate * max(0.0, :day - scored_day))
    ELSE log_score - rate * max(0.0, :day - scored_day) END"""  # its logarithm, at the moment
RANKED = f"""
SELECT id, score, importance, line FROM memory JOIN (
    SELECT rowid AS found, {_SCORE} AS score
    FROM memory
    WHERE pool = 'active' %s
    ORDER BY score DESC, importance DESC, said_at DESC, id LIMIT :limit
) ON memory.rowid = found
ORDER BY score DESC, importance DESC, said_at DESC, id
"""
RANKED_AMONG = " AND category IN (SELECT value FROM json_each(:categories))"
# With every category named, only what was said in that time is looked at: `memory_rank` is in that order.
RANKED_WITHIN = """ AND said_at >= :since AND (:until = '' OR said_at < :until) AND category IN (
    WITH RECURSIVE there (name) AS (
        SELECT min(category) FROM memory WHERE pool = 'active'
        UNION ALL
        SELECT (SELECT min(category) FROM memory WHERE pool = 'active' AND category > name) FROM there
        WHERE name IS NOT NULL
    )
    SELECT name FROM there
)"""
STANDING = f"""
SELECT id, {_SCORE}, importance, line
FROM memory WHERE id IN (SELECT value FROM json_each(:ids))
"""
OF_KIND = f"""
SELECT id, {_SCORE} AS score, importance, line
FROM memory
WHERE pool = 'active' AND subject = 'user' AND (category IN (SELECT value FROM json_each(:categories))
    OR attribute IN (SELECT value FROM json_each(:attributes))
    OR substr(attribute, 1, instr(attribute, '.') - 1) IN (SELECT value FROM json_each(:attributes)))
ORDER BY score DESC, importance DESC, said_at DESC, id LIMIT :limit
"""
TELLS = f"""
SELECT id, {_SCORE} AS score, importance, line
FROM memory
WHERE pool = 'active' AND subject = 'user' AND tells IS NOT NULL
    AND EXISTS (SELECT 1 FROM json_each(tells) WHERE value IN (SELECT value FROM json_each(:attributes)))
ORDER BY score DESC, importance DESC, said_at DESC, id LIMIT :limit
"""
OF_OTHERS = f"""
SELECT id, {_SCORE} AS score, importance, line
FROM memory
WHERE pool = 'active' AND subject NOT IN ('user', 'assistant') AND attribute <> ''
ORDER BY score DESC, importance DESC, said_at DESC, id LIMIT :limit
"""
REPLACED_ON = """
SELECT line FROM memory WHERE pool = 'archive' AND attribute <> ''
    AND id IN (SELECT id FROM memory_ref WHERE ref IN (SELECT value FROM json_each(:refs)))
ORDER BY id
"""
# A memory names its subject and its entities; how it calls the user itself (`own`) is the user. The + keeps SQLite from
# looking at all that is active.
_NAMING = """
WITH called AS (SELECT value AS name FROM json_each(:called)), naming AS (
    SELECT rowid AS place FROM memory WHERE +pool = 'active' AND subject IN called
    UNION ALL
    SELECT place FROM entity_at JOIN memory ON memory.rowid = place
        WHERE entity IN called AND +pool = 'active' AND entity <> own AND subject NOT IN called
)
"""
# The ids as one text, as in `HOLDERS`.
NAMED = f"""{_NAMING}
SELECT subject, own, min(said_at), max(said_at), json_group_array(id),
    json_group_array(rowid) FILTER (WHERE attribute <> '')
FROM memory WHERE rowid IN naming GROUP BY subject, own
"""
LINES_AT = "SELECT line FROM memory WHERE rowid IN (SELECT value FROM json_each(?)) ORDER BY id"
NAMED_BESIDE = f"""{_NAMING}
SELECT entity, count(*) FROM memory CROSS JOIN entity_at ON memory.rowid = place
WHERE memory.rowid IN naming AND entity NOT IN (own, subject) GROUP BY entity
"""
# Every thousandth memory of a file: from the last of them on, lines are counted.
MILESTONES = """
INSERT INTO milestone SELECT pool, kind, id, line
FROM (SELECT pool, kind, id, row_number() OVER (PARTITION BY pool, kind ORDER BY id) AS line FROM memory)
WHERE line % 1000 = 0
"""
LINE_NUMBER = """
WITH its AS (SELECT pool, kind FROM memory WHERE id = :id),
    passed AS (SELECT id, line FROM milestone JOIN its USING (pool, kind) WHERE id <= :id ORDER BY id DESC LIMIT 1)
SELECT coalesce((SELECT line FROM passed), 0) + count(*) FROM memory JOIN its USING (pool, kind)
WHERE memory.id <= :id AND memory.id > coalesce((SELECT id FROM passed), '')
"""
CONTENT = {
    "memory": "SELECT * FROM memory ORDER BY id",
    "memory_entity": "SELECT * FROM memory_entity ORDER BY entity, id",
    "memory_ref": "SELECT * FROM memory_ref ORDER BY ref, id",
    "note": "SELECT * FROM note ORDER BY path",
    "unit": "SELECT scope, key, path, start_line, end_line, part, speaker, role, said_at, about, text, marks"
    " FROM whole ORDER BY scope, key",  # without the number, which the order of putting in decides
    "word": "SELECT * FROM word ORDER BY term",
}
_ENTITIES = "SELECT id, entity FROM entity_at JOIN memory ON memory.rowid = place WHERE pool = 'active'"
_LABELS = "SELECT id, value, day, text FROM memory JOIN unit ON scope = ? AND key = id WHERE pool = 'active'"
_AMONG = "AND id IN (SELECT value FROM json_each(?))"
ENTITIES = f"{_ENTITIES} ORDER BY id, entity"
ENTITIES_OF = f"{_ENTITIES} {_AMONG} ORDER BY id, entity"
LABELS = f"{_LABELS} ORDER BY id"
LABELS_OF = f"{_LABELS} {_AMONG} ORDER BY id"
NAMED_SO = """
SELECT value FROM json_each(:words) AS asked WHERE EXISTS (
    SELECT 1 FROM entity_at JOIN memory ON memory.rowid = place WHERE entity = asked.value AND +pool = 'active')
UNION
SELECT value FROM memory WHERE +pool = 'active' AND value IN (SELECT value FROM json_each(:words))
"""
TALLIES = {
    "entities": "SELECT count(DISTINCT entity) FROM entity_at JOIN memory ON memory.rowid = place"
    " WHERE pool = 'active'",
    "categories": "SELECT count(DISTINCT category) FROM memory WHERE pool = 'active'",
}

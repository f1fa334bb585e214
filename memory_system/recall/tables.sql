CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
CREATE TABLE memory (id TEXT PRIMARY KEY, kind TEXT, pool TEXT, category TEXT, subject TEXT, attribute TEXT, value TEXT,
    said_at TEXT, day TEXT, importance REAL, log_score REAL, rate REAL, scored_day REAL, protected INTEGER,
    own TEXT, tells TEXT, unsaid INTEGER, line BLOB);
CREATE INDEX memory_unsaid ON memory (id) WHERE unsaid;
CREATE TABLE milestone (pool TEXT, kind TEXT, id TEXT, line INTEGER, PRIMARY KEY (pool, kind, id)) WITHOUT ROWID;
CREATE TABLE entity_at (entity TEXT, place INTEGER, PRIMARY KEY (entity, place)) WITHOUT ROWID;
CREATE INDEX entity_of ON entity_at (place);
CREATE VIEW memory_entity AS SELECT entity, id FROM entity_at JOIN memory ON memory.rowid = place;
CREATE TABLE ref_at (ref TEXT, place INTEGER, PRIMARY KEY (ref, place)) WITHOUT ROWID;
CREATE INDEX ref_of ON ref_at (place);
CREATE VIEW memory_ref AS SELECT ref, id FROM ref_at JOIN memory ON memory.rowid = place;
CREATE TABLE note (path TEXT PRIMARY KEY, digest TEXT) WITHOUT ROWID;
CREATE TABLE session (number INTEGER PRIMARY KEY, name TEXT, messages INTEGER, turns INTEGER, parts INTEGER, path TEXT);
CREATE INDEX session_name ON session (name);
CREATE TABLE unit (number INTEGER PRIMARY KEY, scope INTEGER, key TEXT, path TEXT, start_line INTEGER, end_line INTEGER,
    part INTEGER, speaker TEXT, role TEXT, said_at TEXT, about TEXT, text TEXT, marks TEXT, whose TEXT);
CREATE UNIQUE INDEX unit_key ON unit (scope, key);
CREATE VIEW whole AS SELECT unit.number, scope, key, iif(unit.path = '' AND scope = 0, session.path, unit.path) AS path,
        start_line, end_line, part, speaker, role, said_at,
        iif(scope = 0, speaker || ' ' || spelled(said_at), about) AS about, text, marks, whose
    FROM unit LEFT JOIN session ON session.number = unit.number >> 20;
CREATE VIRTUAL TABLE words USING fts5 (text, content='', columnsize=0, detail=none,
    tokenize='porter unicode61 remove_diacritics 2');
CREATE VIRTUAL TABLE word USING fts5vocab (words, row);
CREATE VIRTUAL TABLE stem USING fts5vocab (words, instance);
INSERT INTO words (words, rank) VALUES ('hashsize', 16777216);

-- name: holders
-- As one text: thousands of rows one by one cost twice as much.
SELECT json_group_array(rowid) FROM (SELECT rowid FROM words WHERE words MATCH ? AND rowid BETWEEN ? AND ? LIMIT ?)

-- name: counted
SELECT count(*) FROM words WHERE words MATCH ? AND rowid BETWEEN ? AND ?

-- name: units
SELECT unit.number, unit.key, iif(unit.path = '' AND scope = 0, session.path, unit.path),
    start_line, end_line, part, speaker, role, said_at, about, text, marks, whose
FROM json_each(?) AS asked CROSS JOIN unit ON unit.number = asked.value
    LEFT JOIN session ON session.number = unit.number >> 20

-- name: passing
SELECT number FROM whole WHERE number IN (SELECT value FROM json_each(:numbers))
    AND said_at >= :since AND (:until = '' OR (said_at < :until AND said_at <> ''))
    AND (:kind = '' OR :kind = CASE scope WHEN 0 THEN 'message' WHEN 1 THEN 'note'
        ELSE (SELECT memory.kind FROM memory WHERE id = key) END)
    AND (:entity = '' OR names(about || ' ' || text, :entity)
        OR EXISTS (SELECT 1 FROM memory_entity WHERE id = key AND names(entity, :entity)))

-- name: standing_on
SELECT number FROM unit WHERE scope IN (SELECT value FROM json_each(:scopes))
    AND key IN (SELECT id FROM memory_ref WHERE ref IN (SELECT value FROM json_each(:refs)))

-- name: latest
SELECT number FROM json_each(?) AS asked CROSS JOIN unit ON number = asked.value
ORDER BY said_at DESC, scope, unit.key LIMIT ?

-- name: score
CASE WHEN protected
    THEN max(:floor, log_score - rate * max(0.0, :day - scored_day))
    ELSE log_score - rate * max(0.0, :day - scored_day) END

-- name: strongest
ORDER BY score DESC, importance DESC, said_at DESC, id

-- name: as_ranked
SELECT id, {score} AS score, importance, line FROM memory WHERE

-- name: ranked
SELECT id, score, importance, line FROM memory JOIN (
    SELECT rowid AS found, {score} AS score
    FROM memory
    WHERE pool = 'active' %s
    {strongest} LIMIT :limit
) ON memory.rowid = found
{strongest}

-- name: ranked_among
AND category IN (SELECT value FROM json_each(:categories))

-- name: ranked_within
-- With every category named, only what was said in that time is looked at: `memory_rank` is in that order.
AND said_at >= :since AND (:until = '' OR said_at < :until) AND category IN (
    WITH RECURSIVE there (name) AS (
        SELECT min(category) FROM memory WHERE pool = 'active'
        UNION ALL
        SELECT (SELECT min(category) FROM memory WHERE pool = 'active' AND category > name) FROM there
        WHERE name IS NOT NULL
    )
    SELECT name FROM there
)

-- name: standing
{as_ranked} id IN (SELECT value FROM json_each(:ids))

-- name: of_kind
{as_ranked} pool = 'active' AND subject = 'user'
    AND (category IN (SELECT value FROM json_each(:categories))
    OR attribute IN (SELECT value FROM json_each(:attributes))
    OR substr(attribute, 1, instr(attribute, '.') - 1) IN (SELECT value FROM json_each(:attributes)))
{strongest} LIMIT :limit

-- name: tells
{as_ranked} pool = 'active' AND subject = 'user' AND tells IS NOT NULL
    AND EXISTS (SELECT 1 FROM json_each(tells) WHERE value IN (SELECT value FROM json_each(:attributes)))
{strongest} LIMIT :limit

-- name: of_others
{as_ranked} pool = 'active' AND subject NOT IN ('user', 'assistant') AND attribute <> ''
{strongest} LIMIT :limit

-- name: replaced_on
SELECT line FROM memory WHERE pool = 'archive' AND attribute <> ''
    AND id IN (SELECT id FROM memory_ref WHERE ref IN (SELECT value FROM json_each(:refs)))
ORDER BY id

-- name: naming
-- A memory names its subject and its entities; how it calls the user itself (`own`) is the user. The + keeps SQLite from
-- looking at all that is active.
WITH called AS (SELECT value AS name FROM json_each(:called)), naming AS (
    SELECT rowid AS place FROM memory WHERE +pool = 'active' AND subject IN called
    UNION ALL
    SELECT place FROM entity_at JOIN memory ON memory.rowid = place
        WHERE entity IN called AND +pool = 'active' AND entity <> own AND subject NOT IN called
)

-- name: named
-- The ids as one text, as in `HOLDERS`.
{naming}
SELECT subject, own, min(said_at), max(said_at), json_group_array(id),
    json_group_array(rowid) FILTER (WHERE attribute <> '')
FROM memory WHERE rowid IN naming GROUP BY subject, own

-- name: lines_at
SELECT line FROM memory WHERE rowid IN (SELECT value FROM json_each(?)) ORDER BY id

-- name: named_beside
{naming}
SELECT entity, count(*) FROM memory CROSS JOIN entity_at ON memory.rowid = place
WHERE memory.rowid IN naming AND entity NOT IN (own, subject) GROUP BY entity

-- name: milestones
-- Every thousandth memory of a file: from the last of them on, lines are counted.
INSERT INTO milestone SELECT pool, kind, id, line
FROM (SELECT pool, kind, id, row_number() OVER (PARTITION BY pool, kind ORDER BY id) AS line FROM memory)
WHERE line % 1000 = 0

-- name: line_number
WITH its AS (SELECT pool, kind FROM memory WHERE id = :id),
    passed AS (SELECT id, line FROM milestone JOIN its USING (pool, kind) WHERE id <= :id ORDER BY id DESC LIMIT 1)
SELECT coalesce((SELECT line FROM passed), 0) + count(*) FROM memory JOIN its USING (pool, kind)
WHERE memory.id <= :id AND memory.id > coalesce((SELECT id FROM passed), '')

-- name: entities
SELECT id, entity FROM entity_at JOIN memory ON memory.rowid = place WHERE pool = 'active' ORDER BY id, entity

-- name: labels
SELECT id, value, day, text FROM memory JOIN unit ON scope = ? AND key = id WHERE pool = 'active' ORDER BY id

-- name: tallies
SELECT (SELECT count(DISTINCT entity) FROM entity_at JOIN memory ON memory.rowid = place WHERE pool = 'active'),
    (SELECT count(DISTINCT category) FROM memory WHERE pool = 'active'),
    (SELECT coalesce(sum(messages), 0) FROM session), (SELECT count(*) FROM unit WHERE number BETWEEN ? AND ?)

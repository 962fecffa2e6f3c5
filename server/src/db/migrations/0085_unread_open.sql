-- Only open conversations are counted as unread: a snoozed one waits for nobody.
UPDATE conversation_counts counts SET unread = (
  SELECT count(*) FROM conversations c WHERE c.workspace_id = counts.workspace_id AND c.is_unread AND c.status = 'open'
);

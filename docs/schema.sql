create extension btree_gin;
create extension pg_trgm;

create table api_keys (
  workspace_id uuid not null,
  id uuid not null default new_id(),
  name text not null,
  start text not null,
  key_hash text not null,
  scopes text[] not null,
  created_by uuid not null,
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3),
  last_used_at timestamptz(3),
  suspended_at timestamptz(3),
  constraint api_keys_workspace_id_id_pk primary key (workspace_id, id),
  constraint api_keys_workspace_id_workspaces_id_fk foreign key (workspace_id)
    references workspaces(id) on delete cascade
);
create index api_keys_hash on api_keys (key_hash);

create table auth_codes (
  code_hash text not null,
  user_id uuid not null,
  code_challenge text,
  expires_at timestamptz(3) not null,
  sso_identity_id uuid,
  constraint auth_codes_pkey primary key (code_hash),
  constraint auth_codes_sso_identity_id_auth_identities_id_fk foreign key (sso_identity_id)
    references auth_identities(id) on delete cascade,
  constraint auth_codes_user_id_auth_users_id_fk foreign key (user_id) references auth_users(id) on delete cascade
);

create table auth_email_changes (
  user_id uuid not null,
  email text not null,
  current_token_hash text not null,
  new_token_hash text not null,
  current_confirmed_at timestamptz(3),
  new_confirmed_at timestamptz(3),
  expires_at timestamptz(3) not null,
  constraint auth_email_changes_pkey primary key (user_id),
  constraint auth_email_changes_current_token_hash_unique unique (current_token_hash),
  constraint auth_email_changes_new_token_hash_unique unique (new_token_hash),
  constraint auth_email_changes_user_id_auth_users_id_fk foreign key (user_id)
    references auth_users(id) on delete cascade
);

create table auth_factors (
  id uuid not null default new_id(),
  user_id uuid not null,
  kind text not null,
  name text not null,
  sealed_secret text,
  last_step integer,
  credential_id text,
  public_key text,
  sign_count integer not null default 0,
  transports text[],
  challenge text,
  challenge_expires_at timestamptz(3),
  confirmed_at timestamptz(3),
  last_used_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  constraint auth_factors_pkey primary key (id),
  constraint auth_factors_credential_id_unique unique (credential_id),
  constraint auth_factors_user_id_auth_users_id_fk foreign key (user_id) references auth_users(id) on delete cascade
);
create index auth_factors_user on auth_factors (user_id);

create table auth_identities (
  id uuid not null default new_id(),
  user_id uuid not null,
  provider_id text not null,
  account_id text not null,
  password text,
  access_token text,
  refresh_token text,
  id_token text,
  access_token_expires_at timestamptz(3),
  refresh_token_expires_at timestamptz(3),
  scope text,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  email text,
  constraint auth_identities_pkey primary key (id),
  constraint auth_identities_user_id_auth_users_id_fk foreign key (user_id) references auth_users(id) on delete cascade
);
create unique index auth_identities_account on auth_identities (provider_id, account_id);
create index auth_identities_user on auth_identities (user_id);

create table auth_keys (
  id uuid not null default new_id(),
  public_key text not null,
  private_key text not null,
  alg text,
  crv text,
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3),
  constraint auth_keys_pkey primary key (id)
);

create table auth_link_codes (
  code_hash text not null,
  code_challenge text not null,
  session_id uuid not null,
  provider_id text not null,
  account_id text not null,
  email text,
  expires_at timestamptz(3) not null,
  constraint auth_link_codes_pkey primary key (code_hash),
  constraint auth_link_codes_session_id_auth_sessions_id_fk foreign key (session_id)
    references auth_sessions(id) on delete cascade
);

create table auth_mail_codes (
  ticket_hash text not null,
  code_hash text not null,
  email text not null,
  session_id uuid,
  attempts_left integer not null,
  expires_at timestamptz(3) not null,
  constraint auth_mail_codes_pkey primary key (ticket_hash),
  constraint auth_mail_codes_session_id_auth_sessions_id_fk foreign key (session_id)
    references auth_sessions(id) on delete cascade
);

create table auth_password_resets (
  token_hash text not null,
  user_id uuid not null,
  expires_at timestamptz(3) not null,
  constraint auth_password_resets_pkey primary key (token_hash),
  constraint auth_password_resets_user_id_auth_users_id_fk foreign key (user_id)
    references auth_users(id) on delete cascade
);
create index auth_password_resets_user on auth_password_resets (user_id);

create table auth_recovery_codes (
  user_id uuid not null,
  code_hash text not null,
  constraint auth_recovery_codes_user_id_code_hash_pk primary key (user_id, code_hash),
  constraint auth_recovery_codes_user_id_auth_users_id_fk foreign key (user_id)
    references auth_users(id) on delete cascade
);

create table auth_refresh_tokens (
  id uuid not null default new_id(),
  session_id uuid not null,
  token_hash text not null,
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null,
  rotated_at timestamptz(3),
  parent_id uuid,
  revoked_at timestamptz(3),
  constraint auth_refresh_tokens_pkey primary key (id),
  constraint auth_refresh_tokens_token_hash_unique unique (token_hash),
  constraint auth_refresh_tokens_session_id_auth_sessions_id_fk foreign key (session_id)
    references auth_sessions(id) on delete cascade
);
create index auth_refresh_tokens_parent on auth_refresh_tokens (parent_id);
create index auth_refresh_tokens_session on auth_refresh_tokens (session_id);

create table auth_revocations (
  session_id uuid not null,
  revoked_at timestamptz(3) not null default now(),
  constraint auth_revocations_pkey primary key (session_id)
);
create index auth_revocations_at on auth_revocations (revoked_at);

create table auth_sessions (
  id uuid not null default new_id(),
  user_id uuid not null,
  token text not null,
  expires_at timestamptz(3) not null,
  ip_address text,
  user_agent text,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  reauthenticated_at timestamptz(3),
  sso_identity_id uuid,
  constraint auth_sessions_pkey primary key (id),
  constraint auth_sessions_token_unique unique (token),
  constraint auth_sessions_sso_identity_id_auth_identities_id_fk foreign key (sso_identity_id)
    references auth_identities(id) on delete cascade,
  constraint auth_sessions_user_id_auth_users_id_fk foreign key (user_id) references auth_users(id) on delete cascade
);
create index auth_sessions_sso on auth_sessions (sso_identity_id) where sso_identity_id is not null;
create index auth_sessions_user on auth_sessions (user_id);

create table auth_sign_ups (
  id uuid not null,
  email text not null,
  name text not null,
  password text not null,
  browser_hash text,
  code_challenge text,
  referral jsonb,
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null,
  constraint auth_sign_ups_pkey primary key (id)
);
create index auth_sign_ups_age on auth_sign_ups (expires_at);
create index auth_sign_ups_email on auth_sign_ups (email, created_at);

create table auth_states (
  state_hash text not null,
  intent text not null,
  code_challenge text not null,
  referral_code text,
  session_id uuid,
  expires_at timestamptz(3) not null,
  constraint auth_states_pkey primary key (state_hash),
  constraint auth_states_session_id_auth_sessions_id_fk foreign key (session_id)
    references auth_sessions(id) on delete cascade
);

create table auth_tickets (
  ticket_hash text not null,
  user_id uuid not null,
  attempts_left integer not null,
  challenge text,
  expires_at timestamptz(3) not null,
  sso_identity_id uuid,
  constraint auth_tickets_pkey primary key (ticket_hash),
  constraint auth_tickets_sso_identity_id_auth_identities_id_fk foreign key (sso_identity_id)
    references auth_identities(id) on delete cascade,
  constraint auth_tickets_user_id_auth_users_id_fk foreign key (user_id) references auth_users(id) on delete cascade
);

create table auth_users (
  id uuid not null default new_id(),
  name text not null,
  email text not null,
  email_verified boolean not null default false,
  image text,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  constraint auth_users_pkey primary key (id),
  constraint auth_users_email_unique unique (email)
);

create table call_counts (
  user_id uuid not null,
  minute bigint not null,
  calls integer not null,
  constraint call_counts_user_id_minute_pk primary key (user_id, minute)
);
create index call_counts_minute on call_counts (minute);

create table campaign_drafts (
  workspace_id uuid not null,
  user_id uuid not null,
  id uuid not null,
  version integer not null default 1,
  fields jsonb not null,
  updated_at timestamptz(3) not null default now(),
  constraint campaign_drafts_workspace_id_user_id_id_pk primary key (workspace_id, user_id, id),
  constraint campaign_drafts_member foreign key (workspace_id, user_id)
    references workspace_members(workspace_id, user_id) on delete cascade,
  constraint campaign_drafts_workspace_id_workspaces_id_fk foreign key (workspace_id)
    references workspaces(id) on delete cascade
);
create index campaign_drafts_updated on campaign_drafts (updated_at);

create table campaigns (
  id uuid not null default new_id(),
  workspace_id uuid not null,
  user_id uuid,
  kind text not null default 'campaign',
  name text not null,
  lead_list_id uuid,
  message_template text not null,
  channel text not null,
  x_account_id uuid,
  allow_repeat boolean not null default false,
  status text not null,
  pause_reason text,
  queued_at timestamptz(3),
  total_leads_in_list integer not null default 0,
  dms_queued_count integer not null default 0,
  dms_sent_count integer not null default 0,
  dms_failed_count integer not null default 0,
  last_run_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  dms_replied_count integer not null default 0,
  dms_delivered_count integer not null default 0,
  allow_replied boolean not null default false,
  reason jsonb,
  version integer not null default 1,
  step_count integer not null default 1,
  firsts_queued_count integer not null default 0,
  open_enrollments integer not null default 0,
  follow_up_due_at timestamptz(3),
  undo_until timestamptz(3),
  launched_from text,
  people_messaged integer not null default 0,
  people_replied integer not null default 0,
  people_positive integer not null default 0,
  watched_from timestamptz(3),
  next_part_at timestamptz(3),
  part_plan text,
  template_id uuid,
  is_sample boolean not null default false,
  launched_version integer,
  dms_skipped_count integer not null default 0,
  people_skipped integer not null default 0,
  constraint campaigns_pkey primary key (id),
  constraint campaigns_counts check (dms_queued_count >= 0
    and dms_sent_count >= 0
    and dms_failed_count >= 0
    and open_enrollments >= 0),
  constraint campaigns_lead_list_id_lead_lists_id_fk foreign key (lead_list_id)
    references lead_lists(id) on delete set null,
  constraint campaigns_user_id_auth_users_id_fk foreign key (user_id) references auth_users(id) on delete set null,
  constraint campaigns_workspace_id_workspaces_id_fk foreign key (workspace_id)
    references workspaces(id) on delete cascade,
  constraint campaigns_x_account_id_x_accounts_id_fk foreign key (x_account_id)
    references x_accounts(id) on delete set null
);
create unique index campaigns_direct on campaigns (workspace_id) where kind = 'direct';
create index campaigns_follow_up on campaigns (follow_up_due_at)
  where status = 'active' and follow_up_due_at is not null;
create index campaigns_list on campaigns (lead_list_id);
create index campaigns_newest on campaigns (workspace_id, created_at desc, id desc) where kind = 'campaign';
create index campaigns_parts on campaigns (queued_at, id) where status = 'active' and next_part_at is not null;
create index campaigns_sending on campaigns (x_account_id, created_at, id)
  where status = 'active' and dms_queued_count > 0;
create index campaigns_stopped on campaigns (x_account_id) where status = 'paused' and reason is not null;
create index campaigns_template on campaigns (workspace_id, template_id) where template_id is not null;

create table chat_reads (
  account_x_user_id text not null,
  person_x_user_id text not null,
  conversation_id text not null,
  changed_at timestamptz(3) not null,
  read_until timestamptz(3),
  constraint chat_reads_account_x_user_id_person_x_user_id_pk primary key (account_x_user_id, person_x_user_id),
  constraint chat_reads_account_x_user_id_reply_watches_x_user_id_fk foreign key (account_x_user_id)
    references reply_watches(x_user_id) on delete cascade
);
create index chat_reads_changed on chat_reads (account_x_user_id, changed_at)
  where read_until is null or read_until < changed_at;

create table conversation_counts (
  workspace_id uuid not null,
  open integer not null default 0,
  unread integer not null default 0,
  snoozed integer not null default 0,
  constraint conversation_counts_pkey primary key (workspace_id),
  constraint conversation_counts_workspace_id_workspaces_id_fk foreign key (workspace_id)
    references workspaces(id) on delete cascade
);

create table conversation_drafts (
  workspace_id uuid not null,
  conversation_id uuid not null,
  user_id uuid not null,
  text text not null,
  updated_at timestamptz(3) not null default now(),
  constraint conversation_drafts_workspace_id_conversation_id_user_id_pk
    primary key (workspace_id, conversation_id, user_id),
  constraint conversation_drafts_member foreign key (workspace_id, user_id)
    references workspace_members(workspace_id, user_id) on delete cascade,
  constraint conversation_drafts_workspace_id_workspaces_id_fk foreign key (workspace_id)
    references workspaces(id) on delete cascade
);
create index conversation_drafts_member on conversation_drafts (workspace_id, user_id);

create table conversation_notes (
  workspace_id uuid not null,
  id uuid not null default new_id(),
  conversation_id uuid not null,
  lead_id uuid not null,
  text text not null,
  author_id uuid not null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  constraint conversation_notes_workspace_id_id_pk primary key (workspace_id, id),
  constraint conversation_notes_lead_id_leads_id_fk foreign key (lead_id) references leads(id) on delete cascade,
  constraint conversation_notes_workspace_id_workspaces_id_fk foreign key (workspace_id)
    references workspaces(id) on delete cascade
);
create index conversation_notes_lead on conversation_notes (lead_id);
create index conversation_notes_oldest on conversation_notes (workspace_id, conversation_id, created_at);

create table conversation_offers (
  workspace_id uuid not null,
  id uuid not null default new_id(),
  x_account_id uuid not null,
  x_user_id text not null,
  twitter_handle text not null,
  at timestamptz(3) not null,
  declined_at timestamptz(3),
  constraint conversation_offers_workspace_id_id_pk primary key (workspace_id, id),
  constraint conversation_offers_workspace_id_workspaces_id_fk foreign key (workspace_id)
    references workspaces(id) on delete cascade
);
create index conversation_offers_newest on conversation_offers (workspace_id, at, id);
create index conversation_offers_oldest on conversation_offers (at);
create unique index conversation_offers_person on conversation_offers (workspace_id, x_account_id, x_user_id);

create table conversation_settings (
  workspace_id uuid not null,
  keep_texts_days integer not null,
  constraint conversation_settings_pkey primary key (workspace_id),
  constraint conversation_settings_workspace_id_workspaces_id_fk foreign key (workspace_id)
    references workspaces(id) on delete cascade
);

create table conversation_undos (
  workspace_id uuid not null,
  undo_id uuid not null,
  conversation_id uuid not null,
  before jsonb not null,
  reply_id uuid,
  reply_label text,
  updated_at timestamptz(3) not null,
  constraint conversation_undos_workspace_id_undo_id_conversation_id_pk
    primary key (workspace_id, undo_id, conversation_id),
  constraint conversation_undos_workspace_id_workspaces_id_fk foreign key (workspace_id)
    references workspaces(id) on delete cascade
);
create index conversation_undos_oldest on conversation_undos (updated_at);

create table conversations (
  workspace_id uuid not null,
  id uuid not null default new_id(),
  account_x_user_id text not null,
  lead_id uuid not null,
  campaign_id uuid,
  status text not null default 'open',
  snoozed_until timestamptz(3),
  sort_at timestamptz(3) not null,
  last_message_id uuid not null,
  last_message_at timestamptz(3) not null,
  is_last_ours boolean not null default false,
  is_unread boolean not null default true,
  label text,
  confidence real,
  labelled_by uuid,
  suggests_suppression boolean not null default false,
  is_encrypted boolean not null default false,
  assignee_id uuid,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  constraint conversations_workspace_id_id_pk primary key (workspace_id, id),
  constraint conversations_assignee_fk foreign key (workspace_id, assignee_id)
    references workspace_members(workspace_id, user_id) on delete set null (assignee_id),
  constraint conversations_workspace_id_workspaces_id_fk foreign key (workspace_id)
    references workspaces(id) on delete cascade
);
create index conversations_account on conversations (workspace_id, account_x_user_id, sort_at, id);
create index conversations_assignee on conversations (workspace_id, assignee_id, sort_at, id);
create index conversations_campaign on conversations (workspace_id, campaign_id, sort_at, id);
create index conversations_label on conversations (workspace_id, label, sort_at, id);
create index conversations_newest on conversations (workspace_id, sort_at, id);
create unique index conversations_once on conversations (workspace_id, lead_id, account_x_user_id);
create index conversations_snoozed on conversations (snoozed_until) where status = 'snoozed';
create index conversations_status on conversations (workspace_id, status, sort_at, id);
create index conversations_waiting on conversations (workspace_id, account_x_user_id)
  where status = 'open'
    and not is_last_ours
    and (label is null or (label in ('interested', 'meeting', 'question', 'referral')));

create table dm_activity (
  workspace_id uuid not null,
  campaign_id uuid not null,
  slot timestamptz(3) not null,
  sent integer not null default 0,
  delivered integer not null default 0,
  replied integer not null default 0,
  variant_id uuid not null default '00000000-0000-0000-0000-000000000000'::uuid,
  x_account_id uuid not null default '00000000-0000-0000-0000-000000000000'::uuid,
  user_id uuid not null default '00000000-0000-0000-0000-000000000000'::uuid,
  failed integer not null default 0,
  answered integer not null default 0,
  positive integer not null default 0,
  opted_out integer not null default 0,
  people integer not null default 0,
  people_replied integer not null default 0,
  people_positive integer not null default 0,
  people_opted_out integer not null default 0,
  skipped integer not null default 0,
  constraint dm_activity_key primary key (campaign_id, slot, variant_id, x_account_id, user_id),
  constraint dm_activity_campaign_id_campaigns_id_fk foreign key (campaign_id)
    references campaigns(id) on delete cascade,
  constraint dm_activity_workspace_id_workspaces_id_fk foreign key (workspace_id)
    references workspaces(id) on delete cascade
);
create index dm_activity_workspace on dm_activity (workspace_id, slot);

create table dms (
  id uuid not null default new_id(),
  workspace_id uuid not null,
  user_id uuid,
  lead_id uuid,
  campaign_id uuid not null,
  step integer not null default 0,
  message text not null,
  status text not null default 'queued',
  due_at timestamptz(3) not null default now(),
  lease uuid,
  holder text,
  lease_expires_at timestamptz(3),
  claimed_at timestamptz(3),
  x_account_id uuid,
  attempts integer not null default 0,
  outcome_unknown boolean not null default false,
  sent_at timestamptz(3),
  x_event_id text,
  error_message text,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  tried_at timestamptz(3),
  delivered_at timestamptz(3),
  replied_at timestamptz(3),
  requeued_at timestamptz(3),
  handed_over_at timestamptz(3),
  reason jsonb,
  enrollment_id uuid,
  step_id uuid,
  step_number integer,
  variant_id uuid,
  is_follow_up boolean not null default false,
  is_held boolean not null default false,
  undo_id uuid,
  answers smallint not null default 0,
  person_answers smallint not null default 0,
  refusal text,
  is_answer boolean not null default false,
  inbox_unclear_until timestamptz(3),
  is_handed_over boolean not null default true,
  absent_at timestamptz(3),
  unreadable_since timestamptz(3),
  may_resend boolean not null default true,
  is_filled boolean not null default false,
  constraint dms_pkey primary key (id),
  constraint dms_lease check (lease_expires_at is null or status = 'queued' and lease is not null),
  constraint dms_sent check ((status in ('sent', 'delivered', 'replied')) = (sent_at is not null)),
  constraint dms_campaign_id_campaigns_id_fk foreign key (campaign_id) references campaigns(id) on delete cascade,
  constraint dms_lead_id_leads_id_fk foreign key (lead_id) references leads(id) on delete set null,
  constraint dms_user_id_auth_users_id_fk foreign key (user_id) references auth_users(id) on delete set null,
  constraint dms_workspace_id_workspaces_id_fk foreign key (workspace_id) references workspaces(id) on delete cascade,
  constraint dms_x_account_id_x_accounts_id_fk foreign key (x_account_id) references x_accounts(id) on delete set null
);
create index dms_account_claims on dms (x_account_id, claimed_at) where claimed_at is not null;
create index dms_answer_texts on dms (workspace_id, created_at)
  where is_answer and status <> 'queued' and not outcome_unknown and message <> '';
create index dms_answered on dms (campaign_id, variant_id, answers, enrollment_id)
  where status = 'replied' and answers <> 0;
create index dms_answers on dms (workspace_id, replied_at) where status = 'replied' and replied_at is not null;
create index dms_campaign on dms (campaign_id, created_at, id);
create index dms_campaign_answers on dms (campaign_id, replied_at) where status = 'replied' and replied_at is not null;
create index dms_campaign_status on dms (campaign_id, status, created_at, id);
create index dms_contacts on dms (workspace_id, sent_at, lead_id) where sent_at is not null;
create index dms_event on dms (x_event_id) where x_event_id is not null;
create index dms_follow_ups on dms (x_account_id, campaign_id, due_at, id)
  where status = 'queued' and lease_expires_at is null and not is_held and is_follow_up;
create index dms_lead on dms (lead_id);
create index dms_leased on dms (campaign_id, lease_expires_at) where lease_expires_at is not null;
create index dms_next on dms (campaign_id, is_follow_up, due_at, id)
  where status = 'queued' and lease_expires_at is null and not is_held;
create unique index dms_once on dms (campaign_id, step, lead_id);
create index dms_people on dms (campaign_id, variant_id, status, enrollment_id) where enrollment_id is not null;
create index dms_undo on dms (workspace_id, undo_id) where undo_id is not null and status = 'queued';
create index dms_variants on dms (campaign_id, variant_id, sent_at, id) where sent_at is not null;
create index dms_words on dms using gin (workspace_id, message gin_trgm_ops) where is_answer or status = 'replied';

create table enrollments (
  workspace_id uuid not null,
  id uuid not null default new_id(),
  campaign_id uuid not null,
  lead_id uuid not null,
  state text not null default 'active',
  version integer not null,
  x_account_id uuid,
  last_step_id uuid,
  last_step_number integer,
  last_ordinal integer,
  last_sent_at timestamptz(3),
  skipped_step_id uuid,
  skipped_step_number integer,
  skipped_at timestamptz(3),
  next_step_number integer,
  next_at timestamptz(3),
  paused_until timestamptz(3),
  reason jsonb,
  resumed_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  is_unqueued boolean not null default false,
  constraint enrollments_workspace_id_id_pk primary key (workspace_id, id),
  constraint enrollments_workspace_id_workspaces_id_fk foreign key (workspace_id)
    references workspaces(id) on delete cascade
);
create index enrollments_due on enrollments (workspace_id, campaign_id, next_at, id, next_step_number)
  where next_at is not null;
create index enrollments_lead on enrollments (workspace_id, lead_id);
create unique index enrollments_once on enrollments (workspace_id, campaign_id, lead_id);
create index enrollments_state on enrollments (workspace_id, campaign_id, state, id, last_step_number);
create index enrollments_unqueued on enrollments (workspace_id, campaign_id, id) where is_unqueued;

create table event_counters (
  workspace_id uuid not null,
  last_id bigint not null,
  constraint event_counters_pkey primary key (workspace_id),
  constraint event_counters_workspace_id_workspaces_id_fk foreign key (workspace_id)
    references workspaces(id) on delete cascade
);

create table event_streams (
  workspace_id uuid not null,
  id uuid not null default new_id(),
  user_id uuid not null,
  worker_id bigint not null,
  expires_at timestamptz(3) not null,
  constraint event_streams_workspace_id_id_pk primary key (workspace_id, id),
  constraint event_streams_user_id_auth_users_id_fk foreign key (user_id) references auth_users(id) on delete cascade,
  constraint event_streams_workspace_id_workspaces_id_fk foreign key (workspace_id)
    references workspaces(id) on delete cascade
);
create index event_streams_user on event_streams (user_id);

create table extension_codes (
  code_hash text not null,
  user_id uuid not null,
  workspace_id uuid not null,
  expires_at timestamptz(3) not null,
  session_id uuid not null,
  constraint extension_codes_pkey primary key (code_hash),
  constraint extension_codes_session_id_auth_sessions_id_fk foreign key (session_id)
    references auth_sessions(id) on delete cascade,
  constraint extension_codes_user_id_auth_users_id_fk foreign key (user_id) references auth_users(id) on delete cascade,
  constraint extension_codes_workspace_id_workspaces_id_fk foreign key (workspace_id)
    references workspaces(id) on delete cascade
);

create table extension_pairings (
  session_id uuid not null,
  user_id uuid not null,
  workspace_id uuid not null,
  token_hash text not null,
  version text not null,
  signed_in_as text,
  paused boolean not null default false,
  page_changed text,
  sends_in_background boolean not null default false,
  reported_at timestamptz(3) not null default now(),
  created_at timestamptz(3) not null default now(),
  constraint extension_pairings_pkey primary key (session_id),
  constraint extension_pairings_token_hash_unique unique (token_hash),
  constraint extension_pairings_session_id_auth_sessions_id_fk foreign key (session_id)
    references auth_sessions(id) on delete cascade,
  constraint extension_pairings_user_id_auth_users_id_fk foreign key (user_id)
    references auth_users(id) on delete cascade,
  constraint extension_pairings_workspace_id_workspaces_id_fk foreign key (workspace_id)
    references workspaces(id) on delete cascade
);
create index extension_pairings_user on extension_pairings (user_id);

create table first_steps_dismissals (
  workspace_id uuid not null,
  user_id uuid not null,
  created_at timestamptz(3) not null default now(),
  constraint first_steps_dismissals_workspace_id_user_id_pk primary key (workspace_id, user_id),
  constraint first_steps_dismissals_member foreign key (workspace_id, user_id)
    references workspace_members(workspace_id, user_id) on delete cascade
);

create table idempotency_keys (
  scope text not null,
  key text not null,
  request_hash text not null,
  status integer not null,
  answer jsonb,
  created_at timestamptz(3) not null default now(),
  constraint idempotency_keys_scope_key_pk primary key (scope, key)
);
create index idempotency_keys_age on idempotency_keys (created_at);

create table imports (
  id uuid not null default new_id(),
  workspace_id uuid not null,
  user_id uuid,
  file_name text,
  status text not null default 'running',
  stage text not null default 'reading',
  done bigint not null default 0,
  of bigint not null,
  imported integer not null default 0,
  updated integer not null default 0,
  rejected jsonb not null default '[]'::jsonb,
  rejected_count integer not null default 0,
  error text,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  worker_id bigint,
  warnings jsonb not null default '[]'::jsonb,
  warning_count integer not null default 0,
  constraint imports_pkey primary key (id),
  constraint imports_user_id_auth_users_id_fk foreign key (user_id) references auth_users(id) on delete set null,
  constraint imports_workspace_id_workspaces_id_fk foreign key (workspace_id)
    references workspaces(id) on delete cascade
);
create index imports_newest on imports (workspace_id, created_at, id);
create index imports_running on imports (worker_id) where status = 'running';

create table job_changes (
  workspace_id uuid not null,
  job_id uuid not null,
  place uuid not null,
  leads integer not null,
  changes jsonb not null,
  created_at timestamptz(3) not null default now(),
  constraint job_changes_workspace_id_job_id_place_pk primary key (workspace_id, job_id, place),
  constraint job_changes_workspace_id_job_id_jobs_workspace_id_id_fk foreign key (workspace_id, job_id)
    references jobs(workspace_id, id) on delete cascade
);
create index job_changes_created on job_changes (created_at);

create table jobs (
  workspace_id uuid not null,
  id uuid not null default new_id(),
  kind text not null,
  status text not null default 'queued',
  input jsonb not null,
  place uuid,
  done integer not null default 0,
  total integer not null,
  changed integer not null default 0,
  error text,
  failures integer not null default 0,
  created_by uuid not null,
  started_at timestamptz(3),
  ended_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  undo_until timestamptz(3),
  undoes uuid,
  undone_by uuid,
  constraint jobs_workspace_id_id_pk primary key (workspace_id, id),
  constraint jobs_workspace_id_workspaces_id_fk foreign key (workspace_id) references workspaces(id) on delete cascade
);
create index jobs_created on jobs (created_at);
create index jobs_newest on jobs (workspace_id, created_at, id);
create index jobs_unfinished on jobs (workspace_id) where status in ('queued', 'running');

create table join_addresses (
  member_id uuid not null,
  address_hash text not null,
  range_hash text not null,
  created_at timestamptz(3) not null default now(),
  constraint join_addresses_pkey primary key (member_id),
  constraint join_addresses_member_id_users_id_fk foreign key (member_id) references users(id)
);
create index join_addresses_age on join_addresses (created_at);
create index join_addresses_range on join_addresses (range_hash, created_at);

create table label_corrections (
  workspace_id uuid not null,
  id uuid not null default new_id(),
  conversation_id uuid not null,
  user_id uuid not null,
  old_label text,
  new_label text not null,
  at timestamptz(3) not null,
  constraint label_corrections_workspace_id_id_pk primary key (workspace_id, id),
  constraint label_corrections_workspace_id_workspaces_id_fk foreign key (workspace_id)
    references workspaces(id) on delete cascade
);
create index label_corrections_conversation on label_corrections (workspace_id, conversation_id, at);

create table lead_bytes (
  workspace_id uuid not null,
  bytes bigint not null,
  constraint lead_bytes_pkey primary key (workspace_id),
  constraint lead_bytes_workspace_id_workspaces_id_fk foreign key (workspace_id)
    references workspaces(id) on delete cascade
);

create table lead_counts (
  workspace_id uuid not null,
  dm_status text not null,
  count bigint not null,
  constraint lead_counts_workspace_id_dm_status_pk primary key (workspace_id, dm_status),
  constraint lead_counts_workspace_id_workspaces_id_fk foreign key (workspace_id)
    references workspaces(id) on delete cascade
);

create table lead_list_items (
  lead_list_id uuid not null,
  lead_id uuid not null,
  contact_status text not null default 'pending',
  added_at timestamptz(3) not null default now(),
  constraint lead_list_items_lead_list_id_lead_id_pk primary key (lead_list_id, lead_id),
  constraint lead_list_items_lead_id_leads_id_fk foreign key (lead_id) references leads(id) on delete cascade,
  constraint lead_list_items_lead_list_id_lead_lists_id_fk foreign key (lead_list_id)
    references lead_lists(id) on delete cascade
);
create index lead_list_items_lead on lead_list_items (lead_id);
create index lead_list_items_newest on lead_list_items (lead_list_id, added_at, lead_id);

create table lead_lists (
  id uuid not null default new_id(),
  workspace_id uuid not null,
  user_id uuid,
  name text not null,
  description text,
  lead_count integer not null default 0,
  created_at timestamptz(3) not null default now(),
  filter jsonb,
  tags text[] not null default '{}'::text[],
  contacted_count integer not null default 0,
  counted_at timestamptz(3),
  count_ms integer not null default 0,
  is_sample boolean not null default false,
  constraint lead_lists_pkey primary key (id),
  constraint lead_lists_user_id_auth_users_id_fk foreign key (user_id) references auth_users(id) on delete set null,
  constraint lead_lists_workspace_id_workspaces_id_fk foreign key (workspace_id)
    references workspaces(id) on delete cascade
);
create index lead_lists_newest on lead_lists (workspace_id, created_at, id);

create table lead_reads (
  lead_id uuid not null,
  account_x_user_id text not null,
  read_at timestamptz(3) not null,
  constraint lead_reads_lead_id_account_x_user_id_pk primary key (lead_id, account_x_user_id),
  constraint lead_reads_lead_id_leads_id_fk foreign key (lead_id) references leads(id) on delete cascade
);

create table lead_removals (
  id uuid not null default new_id(),
  workspace_id uuid not null,
  lead_count integer not null,
  created_at timestamptz(3) not null default now(),
  selection_hash text,
  cursor text,
  job_id uuid,
  constraint lead_removals_pkey primary key (id),
  constraint lead_removals_workspace_id_workspaces_id_fk foreign key (workspace_id)
    references workspaces(id) on delete cascade
);
create index lead_removals_oldest on lead_removals (created_at);
create index lead_removals_workspace on lead_removals (workspace_id);

create table lead_standings (
  workspace_id uuid not null,
  standing text not null,
  created_at timestamptz(3) not null,
  lead_id uuid not null,
  constraint lead_standings_workspace_id_standing_created_at_lead_id_pk
    primary key (workspace_id, standing, created_at, lead_id)
);

create table lead_tags (
  tag_id uuid not null,
  lead_id uuid not null,
  added_at timestamptz(3) not null default now(),
  constraint lead_tags_tag_id_lead_id_pk primary key (tag_id, lead_id),
  constraint lead_tags_lead_id_leads_id_fk foreign key (lead_id) references leads(id) on delete cascade,
  constraint lead_tags_tag_id_tags_id_fk foreign key (tag_id) references tags(id) on delete cascade
);
create index lead_tags_lead on lead_tags (lead_id);

create table leaderboard_tallies (
  period text not null,
  referral_count integer not null,
  members bigint not null,
  constraint leaderboard_tallies_period_referral_count_pk primary key (period, referral_count)
);

create table leaderboard_ties (
  period text not null,
  referral_count integer not null,
  bucket integer not null,
  members bigint not null,
  constraint leaderboard_ties_period_referral_count_bucket_pk primary key (period, referral_count, bucket)
);

create table leads (
  id uuid not null default new_id(),
  workspace_id uuid not null,
  user_id uuid,
  x_user_id text,
  name text not null,
  twitter_handle text not null,
  bio text,
  follower_count integer,
  following_count integer,
  source_profile text,
  url text,
  profile_image_url text,
  location text,
  website text,
  metadata jsonb not null default '{}'::jsonb,
  dm_status text not null default 'not_sent',
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  basis text not null default 'none',
  basis_at timestamptz(3),
  basis_source text,
  replied_at timestamptz(3),
  contacted_before_at timestamptz(3),
  last_claimed_at timestamptz(3),
  last_claimed_campaign_id uuid,
  closed_to text,
  is_sample boolean not null default false,
  x_user_checked_at timestamptz(3),
  handle_lost_at timestamptz(3),
  former_handles jsonb not null default '[]'::jsonb,
  bio_words tsvector generated always as (bio_words(bio)) stored,
  first_name text,
  first_name_from text default 'name',
  constraint leads_pkey primary key (id),
  constraint leads_basis_known check ((basis = 'none') = (basis_at is null)),
  constraint leads_user_id_auth_users_id_fk foreign key (user_id) references auth_users(id) on delete set null,
  constraint leads_workspace_id_workspaces_id_fk foreign key (workspace_id) references workspaces(id) on delete cascade
) with (fillfactor=50);
create index leads_basis on leads (workspace_id, basis, created_at, id) where basis <> 'none';
create index leads_bio on leads (workspace_id, lower("left"(coalesce(bio, ''), 60)), id);
create index leads_contacted_before on leads (workspace_id, contacted_before_at, id)
  where contacted_before_at is not null;
create index leads_first_name_due on leads (workspace_id, id) where first_name_from is null;
create index leads_followers on leads (workspace_id, coalesce(follower_count, '-1'::integer), id)
  include (follower_count);
create index leads_handle on leads (workspace_id, lower(twitter_handle));
create index leads_handle_lost on leads (workspace_id, id) where handle_lost_at is not null;
create unique index leads_handle_unknown_user on leads (workspace_id, lower(twitter_handle)) where x_user_id is null;
create index leads_name on leads (workspace_id, lower(name), id) include (name);
create index leads_newest on leads (workspace_id, created_at, id);
create index leads_replied on leads (workspace_id, created_at, id) where replied_at is not null;
create index leads_sample on leads (workspace_id, id) where is_sample;
create index leads_words on leads using gin (workspace_id,
  ((((coalesce(name, '') || ' ') || twitter_handle) || ' ') || coalesce(bio, '')) gin_trgm_ops);
create unique index leads_x_user on leads (workspace_id, x_user_id) where x_user_id is not null;

create table membership_changes (
  workspace_id uuid not null,
  user_id uuid not null,
  version bigint not null,
  changed_at timestamptz(3) not null default now(),
  constraint membership_changes_workspace_id_user_id_pk primary key (workspace_id, user_id)
);
create index membership_changes_at on membership_changes (changed_at);

create table monthly_usage (
  workspace_id uuid not null,
  month date not null,
  kind text not null,
  count integer not null,
  warned_of integer,
  constraint monthly_usage_workspace_id_kind_month_pk primary key (workspace_id, kind, month),
  constraint monthly_usage_workspace_id_workspaces_id_fk foreign key (workspace_id)
    references workspaces(id) on delete cascade
);

create table notification_preferences (
  user_id uuid not null,
  kind text not null,
  in_app boolean not null default true,
  email boolean not null default true,
  browser boolean not null default false,
  frequency text not null default 'immediate',
  labels text[],
  constraint notification_preferences_user_id_kind_pk primary key (user_id, kind),
  constraint notification_preferences_user_id_auth_users_id_fk foreign key (user_id)
    references auth_users(id) on delete cascade
);

create table notifications (
  id uuid not null default new_id(),
  workspace_id uuid not null,
  user_id uuid not null,
  kind text not null,
  facts jsonb not null,
  in_app boolean not null,
  email boolean not null,
  emailed_at timestamptz(3),
  read_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  is_digest boolean not null default false,
  browser boolean not null default false,
  constraint notifications_pkey primary key (id),
  constraint notifications_user_id_auth_users_id_fk foreign key (user_id) references auth_users(id) on delete cascade,
  constraint notifications_workspace_id_workspaces_id_fk foreign key (workspace_id)
    references workspaces(id) on delete cascade
);
create index notifications_digest_due on notifications (created_at) where email and emailed_at is null and is_digest;
create index notifications_newest on notifications (user_id, workspace_id, created_at, id) where in_app;
create index notifications_of_conversation on notifications (workspace_id, (facts ->> 'conversationId'))
  where kind = 'lead_replied';
create index notifications_old on notifications (created_at);
create index notifications_to_digest on notifications (user_id, workspace_id, created_at)
  where email and emailed_at is null and is_digest;
create index notifications_to_email on notifications (created_at) where email and emailed_at is null and not is_digest;
create index notifications_to_show on notifications (user_id, workspace_id, created_at, id) where browser;
create index notifications_unread on notifications (user_id, workspace_id) where in_app and read_at is null;

create table opener_counts (
  workspace_id uuid not null,
  campaign_id uuid not null,
  draft integer not null default 0,
  approved integer not null default 0,
  failed integer not null default 0,
  constraint opener_counts_workspace_id_campaign_id_pk primary key (workspace_id, campaign_id),
  constraint opener_counts_workspace_id_workspaces_id_fk foreign key (workspace_id)
    references workspaces(id) on delete cascade
);

create table openers (
  workspace_id uuid not null,
  id uuid not null default new_id(),
  campaign_id uuid not null,
  lead_id uuid not null,
  text text not null,
  facts_used text[] not null,
  profile_hash text not null,
  source text not null,
  status text not null,
  version integer not null default 1,
  approved_by uuid,
  approved_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  request_hash text,
  constraint openers_workspace_id_id_pk primary key (workspace_id, id),
  constraint openers_workspace_id_workspaces_id_fk foreign key (workspace_id)
    references workspaces(id) on delete cascade
);
create index openers_lead on openers (workspace_id, lead_id);
create index openers_listed on openers (workspace_id, campaign_id, id);
create unique index openers_once on openers (workspace_id, campaign_id, lead_id);
create index openers_status on openers (workspace_id, campaign_id, status, id);

create table operator_log (
  id uuid not null default new_id(),
  operator_id uuid not null,
  action text not null,
  member_id uuid,
  count integer,
  created_at timestamptz(3) not null default now(),
  constraint operator_log_pkey primary key (id),
  constraint operator_log_member_id_users_id_fk foreign key (member_id) references users(id)
);
create index operator_log_newest on operator_log (created_at, id);

create table page_views (
  day date not null,
  path text not null,
  ref text not null,
  views integer not null default 0,
  joins integer not null default 0,
  constraint page_views_day_path_ref_pk primary key (day, path, ref)
);

create table paid_subscriptions (
  id text not null,
  workspace_id uuid,
  claimed_by text,
  email text,
  customer_id text not null,
  status text not null,
  price_id text not null,
  plan_id text not null,
  level text not null,
  name text not null,
  price_cents integer not null,
  billing_cycle text not null,
  started_at timestamptz(3) not null,
  current_period_end timestamptz(3) not null,
  cancel_at_period_end boolean not null,
  trial_end timestamptz(3),
  past_due_since timestamptz(3),
  pay_url text,
  ended_at timestamptz(3),
  read_no bigint not null,
  trial_told_at timestamptz(3),
  invited_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  constraint paid_subscriptions_pkey primary key (id),
  constraint paid_subscriptions_workspace_id_workspaces_id_fk foreign key (workspace_id)
    references workspaces(id) on delete set null
);
create index paid_subscriptions_due on paid_subscriptions (current_period_end) where ended_at is null;
create index paid_subscriptions_unclaimed on paid_subscriptions (email)
  where workspace_id is null and email is not null;
create index paid_subscriptions_workspace on paid_subscriptions (workspace_id);

create table past_contacts (
  id uuid not null default new_id(),
  workspace_id uuid not null,
  x_user_hash text,
  handle_hash text not null,
  contacted_at timestamptz(3),
  replied_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  constraint past_contacts_pkey primary key (id),
  constraint past_contacts_workspace_id_workspaces_id_fk foreign key (workspace_id)
    references workspaces(id) on delete cascade
);
create index past_contacts_handle on past_contacts (workspace_id, handle_hash);
create index past_contacts_x_user on past_contacts (workspace_id, x_user_hash) where x_user_hash is not null;

create table payment_events (
  id text not null,
  created_at timestamptz(3) not null default now(),
  constraint payment_events_pkey primary key (id)
);
create index payment_events_old on payment_events (created_at);

create table payment_looks (
  account_hash text not null,
  events_until timestamptz(3) not null,
  looked_at timestamptz(3) not null default now(),
  constraint payment_looks_pkey primary key (account_hash)
);

create table payment_webhooks (
  url text not null,
  endpoint_id text not null,
  sealed_secret text not null,
  created_at timestamptz(3) not null default now(),
  constraint payment_webhooks_pkey primary key (url)
);

create table plan_prices (
  price_id text not null,
  plan_id text not null,
  level text not null,
  name text not null,
  amount_cents integer not null,
  currency text not null,
  billing_cycle text not null,
  features jsonb not null,
  active boolean not null,
  updated_at timestamptz(3) not null default now(),
  constraint plan_prices_pkey primary key (price_id)
);

create table rate_limits (
  key character varying(255) not null,
  points integer not null default 0,
  expire bigint,
  constraint rate_limits_pkey primary key (key)
);

create table referral_counts (
  period text not null,
  member_id uuid not null,
  referral_count integer not null,
  last_credit bigint not null,
  constraint referral_counts_period_member_id_pk primary key (period, member_id),
  constraint referral_counts_count check (referral_count >= 0),
  constraint referral_counts_member_id_users_id_fk foreign key (member_id) references users(id)
);
create index referral_counts_ranks on referral_counts (period, (- referral_count), last_credit)
  where referral_count > 0;
create trigger referral_counts_tallied_delete after delete on referral_counts
  referencing old table as removed
  for each statement execute function tally_leaderboards();
create trigger referral_counts_tallied_insert after insert on referral_counts
  referencing new table as added
  for each statement execute function tally_leaderboards();
create trigger referral_counts_tallied_update after update on referral_counts
  referencing old table as removed new table as added
  for each statement execute function tally_leaderboards();

create table referrals (
  member_id uuid not null,
  referrer_id uuid not null,
  status text not null,
  hold_reason text,
  country text,
  moved boolean not null default false,
  credit_number bigint,
  credited_at timestamptz(3),
  in_week boolean not null default false,
  decided_at timestamptz(3),
  decided_by uuid,
  created_at timestamptz(3) not null default now(),
  reward_hold text,
  reward_allowed boolean,
  mail_check_at timestamptz(3),
  constraint referrals_pkey primary key (member_id),
  constraint referrals_credit check ((status = 'credited') = (credit_number is not null)),
  constraint referrals_credited_at check ((status = 'credited') = (credited_at is not null)),
  constraint referrals_in_week check (not in_week or status = 'credited'),
  constraint referrals_not_oneself check (member_id <> referrer_id),
  constraint referrals_member_id_users_id_fk foreign key (member_id) references users(id),
  constraint referrals_referrer_id_users_id_fk foreign key (referrer_id) references users(id)
);
create unique index referrals_credits on referrals (referrer_id, credit_number) where credit_number is not null;
create index referrals_held on referrals (created_at, member_id) where status = 'held';
create index referrals_mail_check on referrals (mail_check_at) where mail_check_at is not null;
create index referrals_reward_held on referrals (created_at, member_id)
  where status = 'credited' and reward_hold is not null and reward_allowed is null;
create index referrals_week on referrals (credited_at) where in_week;

create table removed_leads (
  removal_id uuid not null,
  lead_id uuid not null,
  lead jsonb not null,
  places jsonb not null,
  dm_ids uuid[] not null,
  replies jsonb not null default '[]'::jsonb,
  tags jsonb not null default '[]'::jsonb,
  finds jsonb not null default '[]'::jsonb,
  reads jsonb not null default '[]'::jsonb,
  conversations jsonb not null default '[]'::jsonb,
  notes jsonb not null default '[]'::jsonb,
  openers jsonb not null default '[]'::jsonb,
  constraint removed_leads_removal_id_lead_id_pk primary key (removal_id, lead_id),
  constraint removed_leads_removal_id_lead_removals_id_fk foreign key (removal_id)
    references lead_removals(id) on delete cascade
);
create index removed_leads_lead on removed_leads (lead_id);

create table replies (
  id uuid not null default new_id(),
  workspace_id uuid not null,
  lead_id uuid not null,
  dm_id uuid,
  account_x_user_id text not null,
  x_event_id text not null,
  kind text not null,
  text text,
  opted_out boolean not null default false,
  at timestamptz(3) not null,
  created_at timestamptz(3) not null default now(),
  label text,
  constraint replies_pkey primary key (id),
  constraint replies_dm_id_dms_id_fk foreign key (dm_id) references dms(id) on delete set null,
  constraint replies_lead_id_leads_id_fk foreign key (lead_id) references leads(id) on delete cascade,
  constraint replies_workspace_id_workspaces_id_fk foreign key (workspace_id)
    references workspaces(id) on delete cascade
);
create index replies_dm on replies (dm_id) where dm_id is not null;
create unique index replies_event on replies (workspace_id, x_event_id);
create index replies_lead on replies (lead_id, created_at);
create index replies_missing_texts on replies (workspace_id, account_x_user_id, at) where text is null;
create index replies_texts on replies (workspace_id, at) where text is not null;
create index replies_words on replies using gin (workspace_id, text gin_trgm_ops) where text is not null;

create table reply_settings (
  workspace_id uuid not null,
  opt_out_words text[] not null,
  constraint reply_settings_pkey primary key (workspace_id),
  constraint reply_settings_workspace_id_workspaces_id_fk foreign key (workspace_id)
    references workspaces(id) on delete cascade
);

create table reply_watches (
  x_user_id text not null,
  webhook_id text,
  subscription_ids text[] not null default '{}'::text[],
  problem text,
  next_check_at timestamptz(3) not null default now(),
  next_poll_at timestamptz(3) not null default now(),
  created_at timestamptz(3) not null default now(),
  read_until timestamptz(3),
  x_app_ids uuid[] not null default '{00000000-0000-7000-8000-000000000001}'::uuid[],
  rests_until timestamptz(3),
  reading jsonb,
  fails_since timestamptz(3),
  failure text,
  notified_at timestamptz(3),
  chat_absent_until timestamptz(3),
  has_message_requests boolean not null default false,
  missed_until timestamptz(3),
  constraint reply_watches_pkey primary key (x_user_id)
);
create index reply_watches_check on reply_watches (next_check_at);
create index reply_watches_poll on reply_watches (next_poll_at);

create table reports (
  workspace_id uuid not null,
  id uuid not null default new_id(),
  kind text not null,
  campaign_id uuid,
  month text,
  title text not null,
  sealed_token text not null,
  token_hash text not null,
  includes_people boolean not null,
  created_by uuid not null,
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null,
  constraint reports_workspace_id_id_pk primary key (workspace_id, id),
  constraint reports_subject check ((kind = 'campaign') = (campaign_id is not null)
    and (kind = 'month') = (month is not null)),
  constraint reports_campaign_id_campaigns_id_fk foreign key (campaign_id) references campaigns(id) on delete cascade,
  constraint reports_workspace_id_workspaces_id_fk foreign key (workspace_id)
    references workspaces(id) on delete cascade
);
create index reports_campaign on reports (campaign_id) where campaign_id is not null;
create unique index reports_token on reports (token_hash);

create table restores (
  id uuid not null default new_id(),
  backed_up_at timestamptz(3) not null,
  unread_until timestamptz(3) not null,
  constraint restores_pkey primary key (id)
);

create table reward_grants (
  id uuid not null default new_id(),
  member_id uuid not null,
  achievement text not null,
  months integer not null,
  account_user_id uuid,
  granted_at timestamptz(3) default now(),
  earned_at timestamptz(3) not null default now(),
  confirmed integer not null default 0,
  needed integer not null default 0,
  starts_at timestamptz(3),
  constraint reward_grants_pkey primary key (id),
  constraint reward_grants_account_user_id_auth_users_id_fk foreign key (account_user_id)
    references auth_users(id) on delete set null,
  constraint reward_grants_member_id_users_id_fk foreign key (member_id) references users(id)
);
create index reward_grants_account on reward_grants (account_user_id);
create index reward_grants_due on reward_grants (starts_at) where granted_at is null;
create unique index reward_grants_once on reward_grants (member_id, achievement);

create table saved_filters (
  id uuid not null default new_id(),
  workspace_id uuid not null,
  user_id uuid,
  name text not null,
  filter jsonb not null,
  sort text not null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  constraint saved_filters_pkey primary key (id),
  constraint saved_filters_user_id_auth_users_id_fk foreign key (user_id) references auth_users(id) on delete set null,
  constraint saved_filters_workspace_id_workspaces_id_fk foreign key (workspace_id)
    references workspaces(id) on delete cascade
);
create unique index saved_filters_name on saved_filters (workspace_id, lower(name));

create table scrape_counts (
  scrape_id uuid not null,
  count bigint not null,
  constraint scrape_counts_pkey primary key (scrape_id),
  constraint scrape_counts_scrape_id_scrapes_id_fk foreign key (scrape_id) references scrapes(id) on delete cascade
);

create table scrape_leads (
  scrape_id uuid not null,
  lead_id uuid not null,
  found_at timestamptz(3) not null default now(),
  constraint scrape_leads_scrape_id_lead_id_pk primary key (scrape_id, lead_id),
  constraint scrape_leads_lead_id_leads_id_fk foreign key (lead_id) references leads(id) on delete cascade,
  constraint scrape_leads_scrape_id_scrapes_id_fk foreign key (scrape_id) references scrapes(id) on delete cascade
);
create index scrape_leads_lead on scrape_leads (lead_id);

create table scrapes (
  id uuid not null default new_id(),
  workspace_id uuid not null,
  user_id uuid,
  x_account_id uuid,
  twitter_handle text,
  type text not null,
  min_followers integer not null,
  max_followers integer not null,
  keywords jsonb not null,
  max_results integer not null,
  status text not null default 'queued',
  source_user_id text,
  cursor text,
  fetched integer not null default 0,
  matched integer not null default 0,
  expected integer,
  busy_ms bigint not null default 0,
  resumes_at timestamptz(3),
  error text,
  version integer not null default 0,
  worker_id bigint,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  failures integer not null default 0,
  is_account_fixed boolean not null default false,
  read_price_cents double precision not null default 0,
  cut_reads integer not null default 0,
  billed integer not null default 0,
  stopped_by text,
  post_url text,
  list_url text,
  handles jsonb,
  bins integer[] not null default '{}'::integer[],
  cut_bins integer[] not null default '{}'::integer[],
  words jsonb not null default '[]'::jsonb,
  constraint scrapes_pkey primary key (id),
  constraint scrapes_stopped_by check (stopped_by is null or status = 'completed'),
  constraint scrapes_user_id_auth_users_id_fk foreign key (user_id) references auth_users(id) on delete set null,
  constraint scrapes_workspace_id_workspaces_id_fk foreign key (workspace_id)
    references workspaces(id) on delete cascade,
  constraint scrapes_x_account_id_x_accounts_id_fk foreign key (x_account_id)
    references x_accounts(id) on delete set null
);
create index scrapes_newest on scrapes (workspace_id, created_at, id);
create index scrapes_status on scrapes (status);

create table sending_limits (
  id uuid not null default new_id(),
  workspace_id uuid not null,
  x_account_id uuid,
  time_zone text not null,
  work_days smallint[] not null,
  start_minute integer,
  end_minute integer,
  daily_cap integer,
  warm_up boolean not null,
  warm_up_since timestamptz(3),
  pause_seconds integer,
  updated_at timestamptz(3) not null default now(),
  constraint sending_limits_pkey primary key (id),
  constraint sending_limits_account unique nulls not distinct (workspace_id, x_account_id),
  constraint sending_limits_bounds check (daily_cap > 0 and pause_seconds >= 0),
  constraint sending_limits_days check (cardinality(work_days) > 0
    and work_days <@ array[1::smallint, 2::smallint, 3::smallint, 4::smallint, 5::smallint, 6::smallint, 7::smallint]),
  constraint sending_limits_hours check ((start_minute is null) = (end_minute is null)
    and start_minute >= 0
    and start_minute <= 1439
    and end_minute >= 0
    and end_minute <= 1439
    and start_minute <> end_minute
    or start_minute is null
    and end_minute is null),
  constraint sending_limits_workspace_id_workspaces_id_fk foreign key (workspace_id)
    references workspaces(id) on delete cascade,
  constraint sending_limits_x_account_id_x_accounts_id_fk foreign key (x_account_id)
    references x_accounts(id) on delete cascade
);
create trigger sending_limits_changed after insert or update on sending_limits
  for each row execute function apply_sending_limits();

create table sending_settings (
  workspace_id uuid not null,
  basis_required boolean,
  basis_lifted_by uuid,
  basis_lifted_at timestamptz(3),
  updated_at timestamptz(3) not null default now(),
  refusal_percent smallint,
  closed_inbox_percent smallint,
  opt_outs_per_hundred smallint,
  constraint sending_settings_pkey primary key (workspace_id),
  constraint sending_settings_basis_lifted_by_auth_users_id_fk foreign key (basis_lifted_by)
    references auth_users(id) on delete set null,
  constraint sending_settings_workspace_id_workspaces_id_fk foreign key (workspace_id)
    references workspaces(id) on delete cascade
);

create table sequence_versions (
  workspace_id uuid not null,
  campaign_id uuid not null,
  version integer not null,
  steps jsonb not null,
  created_at timestamptz(3) not null default now(),
  constraint sequence_versions_workspace_id_campaign_id_version_pk primary key (workspace_id, campaign_id, version),
  constraint sequence_versions_workspace_id_workspaces_id_fk foreign key (workspace_id)
    references workspaces(id) on delete cascade
);

create table snippets (
  workspace_id uuid not null,
  id uuid not null default new_id(),
  shortcut text not null,
  text text not null,
  author_id uuid not null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  constraint snippets_workspace_id_id_pk primary key (workspace_id, id),
  constraint snippets_workspace_id_workspaces_id_fk foreign key (workspace_id)
    references workspaces(id) on delete cascade
);
create unique index snippets_shortcut on snippets (workspace_id, lower(shortcut));

create table sso_assertions (
  assertion_hash text not null,
  expires_at timestamptz(3) not null,
  constraint sso_assertions_pkey primary key (assertion_hash)
);

create table sso_connections (
  id uuid not null default new_id(),
  workspace_id uuid not null,
  user_id uuid,
  kind text not null,
  issuer text not null,
  client_id text,
  sealed_client_secret text,
  scopes text,
  sso_url text,
  certificates text[],
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  constraint sso_connections_pkey primary key (id),
  constraint sso_connections_workspace_id_unique unique (workspace_id),
  constraint sso_connections_whole check (kind = 'oidc'
    and client_id is not null
    and sealed_client_secret is not null
    and scopes is not null
    or kind = 'saml'
    and sso_url is not null
    and cardinality(certificates) > 0),
  constraint sso_connections_user_id_auth_users_id_fk foreign key (user_id)
    references auth_users(id) on delete set null,
  constraint sso_connections_workspace_id_workspaces_id_fk foreign key (workspace_id)
    references workspaces(id) on delete cascade
);

create table sso_domains (
  id uuid not null default new_id(),
  workspace_id uuid not null,
  user_id uuid,
  domain text not null,
  token text not null,
  verified_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  constraint sso_domains_pkey primary key (id),
  constraint sso_domains_user_id_auth_users_id_fk foreign key (user_id) references auth_users(id) on delete set null,
  constraint sso_domains_workspace_id_workspaces_id_fk foreign key (workspace_id)
    references workspaces(id) on delete cascade
);
create unique index sso_domains_of_workspace on sso_domains (workspace_id, domain);
create unique index sso_domains_proved on sso_domains (domain) where verified_at is not null;

create table sso_requests (
  request_hash text not null,
  step text not null,
  connection_id uuid,
  code_challenge text not null,
  login_hint text,
  session_id uuid,
  expires_at timestamptz(3) not null,
  constraint sso_requests_pkey primary key (request_hash),
  constraint sso_requests_connection_id_sso_connections_id_fk foreign key (connection_id)
    references sso_connections(id) on delete cascade,
  constraint sso_requests_session_id_auth_sessions_id_fk foreign key (session_id)
    references auth_sessions(id) on delete cascade
);
create index sso_requests_connection on sso_requests (connection_id);

create table step_tests (
  workspace_id uuid not null,
  id uuid not null default new_id(),
  campaign_id uuid not null,
  step_id uuid not null,
  allocation text not null,
  window_days integer not null,
  variants jsonb not null,
  state jsonb not null default '{"pairs": [], "records": []}'::jsonb,
  verdict jsonb,
  is_split_off boolean not null default false,
  shares jsonb,
  started_at timestamptz(3) not null default now(),
  decided_at timestamptz(3),
  ended_at timestamptz(3),
  next_at timestamptz(3),
  constraint step_tests_workspace_id_id_pk primary key (workspace_id, id),
  constraint step_tests_workspace_id_workspaces_id_fk foreign key (workspace_id)
    references workspaces(id) on delete cascade
);
create unique index step_tests_current on step_tests (workspace_id, campaign_id, step_id) where ended_at is null;
create index step_tests_next on step_tests (next_at) where next_at is not null;

create table subscriptions (
  workspace_id uuid not null,
  plan_id text not null,
  status text not null,
  current_period_end timestamptz(3) not null,
  cancel_at_period_end boolean not null default false,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  level text,
  past_due_since timestamptz(3),
  paid_id text,
  constraint subscriptions_pkey primary key (workspace_id),
  constraint subscriptions_paid_id_paid_subscriptions_id_fk foreign key (paid_id)
    references paid_subscriptions(id) on delete set null,
  constraint subscriptions_workspace_id_workspaces_id_fk foreign key (workspace_id)
    references workspaces(id) on delete cascade
);

create table suppression_counts (
  workspace_id uuid not null,
  count bigint not null,
  constraint suppression_counts_pkey primary key (workspace_id),
  constraint suppression_counts_workspace_id_workspaces_id_fk foreign key (workspace_id)
    references workspaces(id) on delete cascade
);

create table suppressions (
  id uuid not null default new_id(),
  workspace_id uuid not null,
  user_id uuid,
  twitter_handle text not null,
  x_user_id text,
  reason text not null,
  note text,
  created_at timestamptz(3) not null default now(),
  x_user_checked_at timestamptz(3),
  handle_lost_at timestamptz(3),
  constraint suppressions_pkey primary key (id),
  constraint suppressions_user_id_auth_users_id_fk foreign key (user_id) references auth_users(id) on delete set null,
  constraint suppressions_workspace_id_workspaces_id_fk foreign key (workspace_id)
    references workspaces(id) on delete cascade
);
create unique index suppressions_handle on suppressions (workspace_id,
  twitter_handle text_pattern_ops,
  (
case
    when handle_lost_at is null then ''
    else x_user_id
end));
create index suppressions_newest on suppressions (workspace_id, created_at, id);
create index suppressions_reason on suppressions (workspace_id, reason, created_at, id);
create index suppressions_words on suppressions using gin (workspace_id, twitter_handle gin_trgm_ops);
create index suppressions_x_user on suppressions (workspace_id, x_user_id) where x_user_id is not null;

create table tags (
  id uuid not null default new_id(),
  workspace_id uuid not null,
  name text not null,
  color text not null,
  lead_count integer not null default 0,
  created_at timestamptz(3) not null default now(),
  is_sample boolean not null default false,
  constraint tags_pkey primary key (id),
  constraint tags_workspace_id_workspaces_id_fk foreign key (workspace_id) references workspaces(id) on delete cascade
);
create unique index tags_name on tags (workspace_id, lower(name));

create table templates (
  workspace_id uuid not null,
  id uuid not null default new_id(),
  name text not null,
  folder text,
  steps jsonb not null,
  is_shared boolean not null,
  archived_at timestamptz(3),
  author_id uuid not null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  constraint templates_workspace_id_id_pk primary key (workspace_id, id),
  constraint templates_workspace_id_workspaces_id_fk foreign key (workspace_id)
    references workspaces(id) on delete cascade
);

create table users (
  id uuid not null default new_id(),
  email text,
  normalized_email text,
  referral_code text,
  referred_by uuid,
  signup_date timestamptz(3) not null default now(),
  "position" integer not null default 0,
  achievements text[] not null default '{}'::text[],
  account_user_id uuid,
  joined_at timestamptz(3),
  confirmed_at timestamptz(3),
  invited_at timestamptz(3),
  unsubscribed_at timestamptz(3),
  country text,
  referral_countries text[] not null default '{}'::text[],
  confirmation_mailed_at timestamptz(3),
  moved_up_mailed_at timestamptz(3),
  constraint users_pkey primary key (id),
  constraint users_referral_code_unique unique (referral_code),
  constraint users_place exclude ("position" with =) where ("position" > 0) deferrable,
  constraint users_position check ("position" >= 0 and ("position" > 0) = (joined_at is not null)),
  constraint users_account_user_id_auth_users_id_fk foreign key (account_user_id)
    references auth_users(id) on delete set null,
  constraint users_referred_by_users_id_fk foreign key (referred_by) references users(id)
);
create unique index users_account on users (account_user_id) where account_user_id is not null;
create unique index users_normalized_email on users (normalized_email text_pattern_ops);
create index users_to_invite on users ("position")
  where "position" > 0 and invited_at is null and email is not null and unsubscribed_at is null;
create trigger users_days_delete after delete on users
  referencing old table as removed
  for each statement execute function count_waitlist_days();
create trigger users_days_insert after insert on users
  referencing new table as added
  for each statement execute function count_waitlist_days();
create trigger users_days_update after update on users
  referencing old table as removed new table as changed
  for each statement execute function count_waitlist_days();

create table waitlist_days (
  day date not null,
  joined integer not null default 0,
  confirmed integer not null default 0,
  invited integer not null default 0,
  constraint waitlist_days_pkey primary key (day)
);

create table waitlist_state (
  id integer not null default 1,
  joined integer not null,
  credits bigint not null,
  constraint waitlist_state_pkey primary key (id),
  constraint waitlist_state_one check (id = 1)
);

create table webhook_deliveries (
  id uuid not null default new_id(),
  endpoint_id uuid not null,
  event_id uuid not null,
  event text not null,
  payload jsonb not null,
  address_of uuid,
  status text not null default 'pending',
  attempts integer not null default 0,
  next_attempt_at timestamptz(3) default now(),
  last_attempt_at timestamptz(3),
  last_status integer,
  last_error text,
  response_excerpt text,
  created_at timestamptz(3) not null default now(),
  constraint webhook_deliveries_pkey primary key (id),
  constraint webhook_deliveries_next check ((status = 'pending') = (next_attempt_at is not null)),
  constraint webhook_deliveries_endpoint_id_webhook_endpoints_id_fk foreign key (endpoint_id)
    references webhook_endpoints(id) on delete cascade
);
create index webhook_deliveries_address_of on webhook_deliveries (address_of) where address_of is not null;
create index webhook_deliveries_age on webhook_deliveries (created_at);
create index webhook_deliveries_by_status on webhook_deliveries (endpoint_id, status, id);
create index webhook_deliveries_due on webhook_deliveries (endpoint_id, next_attempt_at) where status = 'pending';
create index webhook_deliveries_log on webhook_deliveries (endpoint_id, id);

create table webhook_endpoints (
  id uuid not null default new_id(),
  url text not null,
  description text not null default '',
  events text[] not null,
  sealed_secret text not null,
  sealed_previous_secret text,
  previous_secret_until timestamptz(3),
  enabled boolean not null default true,
  disabled_reason text,
  failing_since timestamptz(3),
  created_by uuid not null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  constraint webhook_endpoints_pkey primary key (id)
);

create table workers (
  id bigint not null default nextval('workers_id_seq'::regclass),
  started_at timestamptz(3) not null default now(),
  constraint workers_pkey primary key (id)
);

create table workspace_branding (
  workspace_id uuid not null,
  logo text,
  color text,
  updated_at timestamptz(3) not null default now(),
  constraint workspace_branding_pkey primary key (workspace_id),
  constraint workspace_branding_workspace_id_workspaces_id_fk foreign key (workspace_id)
    references workspaces(id) on delete cascade
);

create table workspace_choices (
  session_id uuid not null,
  workspace_id uuid not null,
  user_id uuid not null,
  constraint workspace_choices_pkey primary key (session_id),
  constraint workspace_choices_member foreign key (workspace_id, user_id)
    references workspace_members(workspace_id, user_id) on delete cascade,
  constraint workspace_choices_session_id_auth_sessions_id_fk foreign key (session_id)
    references auth_sessions(id) on delete cascade
);
create index workspace_choices_member on workspace_choices (workspace_id, user_id);

create table workspace_events (
  workspace_id uuid not null,
  id bigint not null,
  kind text not null,
  ids text[] not null,
  recipient_id uuid,
  created_at timestamptz(3) not null default now(),
  constraint workspace_events_workspace_id_id_pk primary key (workspace_id, id),
  constraint workspace_events_workspace_id_workspaces_id_fk foreign key (workspace_id)
    references workspaces(id) on delete cascade
);
create index workspace_events_old on workspace_events (created_at);

create table workspace_invitations (
  id uuid not null default new_id(),
  workspace_id uuid not null,
  email text not null,
  role text not null,
  token_hash text not null,
  user_id uuid,
  sent_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null,
  created_at timestamptz(3) not null default now(),
  constraint workspace_invitations_pkey primary key (id),
  constraint workspace_invitations_token_hash_unique unique (token_hash),
  constraint workspace_invitations_user_id_auth_users_id_fk foreign key (user_id)
    references auth_users(id) on delete set null,
  constraint workspace_invitations_workspace_id_workspaces_id_fk foreign key (workspace_id)
    references workspaces(id) on delete cascade
);
create unique index workspace_invitations_address on workspace_invitations (workspace_id, email);
create index workspace_invitations_expiry on workspace_invitations (expires_at);

create table workspace_members (
  workspace_id uuid not null,
  user_id uuid not null,
  role text not null,
  created_at timestamptz(3) not null default now(),
  version bigint not null default nextval('workspace_members_version_seq'::regclass),
  chosen_at timestamptz(3),
  constraint workspace_members_workspace_id_user_id_pk primary key (workspace_id, user_id),
  constraint workspace_members_user_id_auth_users_id_fk foreign key (user_id)
    references auth_users(id) on delete cascade,
  constraint workspace_members_workspace_id_workspaces_id_fk foreign key (workspace_id)
    references workspaces(id) on delete cascade
);
create unique index workspace_members_owner on workspace_members (workspace_id) where role = 'owner';
create index workspace_members_user on workspace_members (user_id);

create table workspaces (
  id uuid not null default new_id(),
  name text not null,
  personal_of uuid,
  created_at timestamptz(3) not null default now(),
  constraint workspaces_pkey primary key (id),
  constraint workspaces_personal_of_auth_users_id_fk foreign key (personal_of)
    references auth_users(id) on delete cascade
);
create unique index workspaces_personal on workspaces (personal_of);

create table writer_abouts (
  workspace_id uuid not null,
  text text not null,
  updated_at timestamptz(3) not null default now(),
  constraint writer_abouts_pkey primary key (workspace_id),
  constraint writer_abouts_workspace_id_workspaces_id_fk foreign key (workspace_id)
    references workspaces(id) on delete cascade
);

create table writer_member_usage (
  workspace_id uuid not null,
  month date not null,
  payer text not null,
  user_id uuid not null,
  tokens bigint not null,
  microcents bigint not null,
  constraint writer_member_usage_workspace_id_month_payer_user_id_pk primary key (workspace_id, month, payer, user_id),
  constraint writer_member_usage_workspace_id_workspaces_id_fk foreign key (workspace_id)
    references workspaces(id) on delete cascade
);

create table writer_opinions (
  workspace_id uuid not null,
  reply_id uuid not null,
  created_at timestamptz(3) not null default now(),
  constraint writer_opinions_workspace_id_reply_id_pk primary key (workspace_id, reply_id),
  constraint writer_opinions_workspace_id_workspaces_id_fk foreign key (workspace_id)
    references workspaces(id) on delete cascade
);
create index writer_opinions_oldest on writer_opinions (created_at);

create table writer_providers (
  workspace_id uuid not null,
  kind text not null,
  base_url text,
  model text not null,
  sealed_key text,
  key_ending text,
  input_price double precision,
  output_price double precision,
  budget_cents bigint,
  budget_tokens bigint,
  updated_at timestamptz(3) not null default now(),
  constraint writer_providers_pkey primary key (workspace_id),
  constraint writer_providers_workspace_id_workspaces_id_fk foreign key (workspace_id)
    references workspaces(id) on delete cascade
);

create table writer_usage (
  workspace_id uuid not null,
  month date not null,
  payer text not null,
  tokens bigint not null,
  microcents bigint not null,
  constraint writer_usage_workspace_id_month_payer_pk primary key (workspace_id, month, payer),
  constraint writer_usage_workspace_id_workspaces_id_fk foreign key (workspace_id)
    references workspaces(id) on delete cascade
);

create table x_accounts (
  id uuid not null default new_id(),
  workspace_id uuid not null,
  user_id uuid,
  x_user_id text not null,
  handle text not null,
  status text not null,
  reason text,
  sealed_access_token text,
  sealed_refresh_token text,
  access_token_expires_at timestamptz(3),
  last_connected_at timestamptz(3),
  next_send_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  chosen_at timestamptz(3) not null default now(),
  rests_until timestamptz(3),
  unread_since timestamptz(3),
  unread_until timestamptz(3),
  follow_ups_in_row integer not null default 0,
  stores_conversations boolean,
  consent_by uuid,
  consent_at timestamptz(3),
  offers_unknown_senders boolean not null default false,
  profile_image_url text,
  follower_count integer,
  x_app_id uuid not null default '00000000-0000-7000-8000-000000000001'::uuid,
  handle_read_at timestamptz(3),
  constraint x_accounts_pkey primary key (id),
  constraint x_accounts_user_id_auth_users_id_fk foreign key (user_id) references auth_users(id) on delete set null,
  constraint x_accounts_workspace_id_workspaces_id_fk foreign key (workspace_id)
    references workspaces(id) on delete cascade,
  constraint x_accounts_x_app_id_x_apps_id_fk foreign key (x_app_id) references x_apps(id)
);
create index x_accounts_next_send on x_accounts (next_send_at) where next_send_at is not null and status = 'connected';
create index x_accounts_of_app on x_accounts (x_app_id);
create index x_accounts_of_user on x_accounts (x_user_id);
create unique index x_accounts_user on x_accounts (workspace_id, x_user_id);
create trigger x_accounts_connected after insert or update of status on x_accounts
  for each row
  when (new.status = 'connected') execute function tell_x_account_connected();
create trigger x_accounts_notify after update of status on x_accounts
  for each row
  when (old.status = 'connected' and new.status = 'lost') execute function notify_of_account();

create table x_app_claims (
  dm_id uuid not null,
  client_id text not null,
  x_account_id uuid not null,
  claimed_at timestamptz(3) not null,
  constraint x_app_claims_pkey primary key (dm_id)
);
create index x_app_claims_day on x_app_claims (client_id, claimed_at, x_account_id);

create table x_apps (
  id uuid not null default new_id(),
  workspace_id uuid,
  client_id text,
  sealed_client_secret text,
  sealed_consumer_secret text,
  sealed_bearer_token text,
  problem text,
  funds_empty_since timestamptz(3),
  funds_try_at timestamptz(3),
  rests_until timestamptz(3),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  daily_limit integer,
  funds_alarmed_at timestamptz(3),
  delivered_at timestamptz(3),
  gap_since timestamptz(3),
  gap_until timestamptz(3),
  replayed_at timestamptz(3),
  constraint x_apps_pkey primary key (id),
  constraint x_apps_workspace_id_unique unique (workspace_id),
  constraint x_apps_workspace_id_workspaces_id_fk foreign key (workspace_id)
    references workspaces(id) on delete cascade
);

create table x_authorizations (
  state_hash text not null,
  cookie_hash text not null,
  workspace_id uuid not null,
  user_id uuid not null,
  expires_at timestamptz(3) not null,
  x_app_id uuid not null default '00000000-0000-7000-8000-000000000001'::uuid,
  constraint x_authorizations_pkey primary key (state_hash),
  constraint x_authorizations_user_id_auth_users_id_fk foreign key (user_id)
    references auth_users(id) on delete cascade,
  constraint x_authorizations_workspace_id_workspaces_id_fk foreign key (workspace_id)
    references workspaces(id) on delete cascade,
  constraint x_authorizations_x_app_id_x_apps_id_fk foreign key (x_app_id) references x_apps(id) on delete cascade
);

create table x_billed_resources (
  day date not null,
  x_app_id uuid not null,
  resource text not null,
  x_id text not null,
  constraint x_billed_resources_day_x_app_id_resource_x_id_pk primary key (day, x_app_id, resource, x_id)
);

create table x_charges (
  workspace_id uuid not null,
  day date not null,
  x_account_id uuid not null,
  purpose text not null,
  resource text not null,
  count integer not null,
  mills integer,
  constraint x_charges_workspace_id_day_x_account_id_purpose_resource_pk
    primary key (workspace_id, day, x_account_id, purpose, resource),
  constraint x_charges_workspace_id_workspaces_id_fk foreign key (workspace_id)
    references workspaces(id) on delete cascade
);

create table x_deliveries (
  id bigint generated always as identity not null,
  x_app_id uuid not null,
  account_x_user_id text,
  person_x_user_id text,
  holds boolean not null,
  sealed_body text not null,
  attempts integer not null default 0,
  next_at timestamptz(3) not null default now(),
  received_at timestamptz(3) not null default now(),
  constraint x_deliveries_pkey primary key (id),
  constraint x_deliveries_x_app_id_x_apps_id_fk foreign key (x_app_id) references x_apps(id) on delete cascade
);
create index x_deliveries_next on x_deliveries (next_at);
create index x_deliveries_of on x_deliveries (account_x_user_id, person_x_user_id, id);

create table x_spending (
  workspace_id uuid not null,
  limit_cents integer,
  month date not null,
  mills bigint not null,
  warned_month date,
  reached_month date,
  reserved_mills bigint not null default 0,
  constraint x_spending_pkey primary key (workspace_id),
  constraint x_spending_workspace_id_workspaces_id_fk foreign key (workspace_id)
    references workspaces(id) on delete cascade
);

create table x_unreadables (
  day date not null,
  source text not null,
  name text not null,
  form text not null,
  keys text[] not null,
  count integer not null,
  last_at timestamptz(3) not null,
  constraint x_unreadables_day_source_name_form_pk primary key (day, source, name, form)
);

create sequence payment_read_no as bigint;
create sequence workers_id_seq as bigint owned by workers.id;
create sequence workspace_members_version_seq as bigint owned by workspace_members.version;

create function activity_slot(moment timestamp with time zone)
  returns timestamp with time zone
  language sql
  immutable parallel safe
as $$
  SELECT date_bin('15 minutes', moment, timestamptz '2000-01-01 00:00:00+00')
$$;

create function apply_sending_limits()
  returns trigger
  language plpgsql
as $$
BEGIN
  UPDATE x_accounts SET next_send_at = now() WHERE id = NEW.x_account_id AND next_send_at IS NOT NULL;
  PERFORM pg_notify('sending', '');
  RETURN NULL;
END
$$;

create function bio_query(word text)
  returns tsquery
  language sql
  immutable parallel safe
as $$
  select string_agg(quote_literal(token), ' & ')::tsquery from unnest(bio_tokens(word)) token
$$;

create function bio_tokens(bio text)
  returns text[]
  language sql
  immutable parallel safe
as $$
  select coalesce(array_agg(left(lower(upper(token)), 100)), '{}')
    from regexp_split_to_table(bio, '[^[:alnum:]_]+') token
    where token <> ''
$$;

create function bio_words(bio text)
  returns tsvector
  language sql
  immutable parallel safe
as $$
  select array_to_tsvector(bio_tokens(bio))
$$;

create function count_waitlist_days()
  returns trigger
  language plpgsql
as $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO waitlist_days AS w (day, joined, confirmed, invited)
      SELECT d.day, sum(d.joined), sum(d.confirmed), sum(d.invited)
      FROM added a
      CROSS JOIN LATERAL waitlist_days_of(a.joined_at, a.confirmed_at, a.invited_at) d
      GROUP BY 1
      ORDER BY 1
      ON CONFLICT (day)
      DO UPDATE SET joined = w.joined + excluded.joined, confirmed = w.confirmed + excluded.confirmed,
        invited = w.invited + excluded.invited;
  ELSIF TG_OP = 'DELETE' THEN
    INSERT INTO waitlist_days AS w (day, joined, confirmed, invited)
      SELECT d.day, -sum(d.joined), -sum(d.confirmed), -sum(d.invited)
      FROM removed r
      CROSS JOIN LATERAL waitlist_days_of(r.joined_at, r.confirmed_at, r.invited_at) d
      GROUP BY 1
      ORDER BY 1
      ON CONFLICT (day)
      DO UPDATE SET joined = w.joined + excluded.joined, confirmed = w.confirmed + excluded.confirmed,
        invited = w.invited + excluded.invited;
  ELSE
    INSERT INTO waitlist_days AS w (day, joined, confirmed, invited)
      SELECT day, sum(n * joined), sum(n * confirmed), sum(n * invited) FROM (
        SELECT 1 AS n, d.*
          FROM changed c
          CROSS JOIN LATERAL waitlist_days_of(c.joined_at, c.confirmed_at, c.invited_at) d
        UNION ALL
        SELECT -1, d.* FROM removed r CROSS JOIN LATERAL waitlist_days_of(r.joined_at, r.confirmed_at, r.invited_at) d
      ) changes GROUP BY 1 HAVING sum(n * joined) <> 0 OR sum(n * confirmed) <> 0 OR sum(n * invited) <> 0 ORDER BY 1
      ON CONFLICT (day)
      DO UPDATE SET joined = w.joined + excluded.joined, confirmed = w.confirmed + excluded.confirmed,
        invited = w.invited + excluded.invited;
  END IF;
  RETURN NULL;
END
$$;

create function new_id()
  returns uuid
  language sql
  parallel safe
as $$SELECT pg_catalog.uuidv7()$$;

create function notify_members(workspace uuid, notification_kind text, notification_facts jsonb)
  returns void
  language sql
as $$
  WITH added AS (
    INSERT INTO notifications (workspace_id, user_id, kind, facts, in_app, email)
      SELECT m.workspace_id, m.user_id, notification_kind, jsonb_strip_nulls(notification_facts),
        coalesce(p.in_app, true), coalesce(p.email, true)
      FROM workspace_members m
      LEFT JOIN notification_preferences p ON p.user_id = m.user_id AND p.kind = notification_kind
      WHERE m.workspace_id = workspace AND (coalesce(p.in_app, true) OR coalesce(p.email, true))
      ORDER BY m.user_id
    RETURNING id, user_id
  )
  SELECT pg_notify('events', concat_ws(' ', workspace, 'notification', id, user_id)) FROM added;
  SELECT pg_notify('member-notifications', '');
$$;

create function notify_of_account()
  returns trigger
  language plpgsql
as $$
BEGIN
  PERFORM notify_members(NEW.workspace_id, 'x_disconnected',
    jsonb_build_object('handle', NEW.handle, 'reason', NEW.reason));
  RETURN NULL;
END
$$;

create function standing_of(dm_status text)
  returns text
  language sql
  immutable parallel safe
as $$
  SELECT CASE dm_status WHEN 'contacted' THEN 'sent' WHEN 'failed_contact' THEN 'failed' ELSE dm_status END
$$;

create function tally_leaderboards()
  returns trigger
  language plpgsql
as $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO leaderboard_tallies AS t (period, referral_count, members)
      SELECT period, referral_count, count(*) FROM added WHERE referral_count > 0 GROUP BY 1, 2 ORDER BY 1, 2
      ON CONFLICT (period, referral_count) DO UPDATE SET members = t.members + excluded.members;
    INSERT INTO leaderboard_ties AS t (period, referral_count, bucket, members)
      SELECT period, referral_count, last_credit / 1024, count(*)
        FROM added
        WHERE referral_count > 0
        GROUP BY 1, 2, 3
        ORDER BY 1, 2, 3
      ON CONFLICT (period, referral_count, bucket) DO UPDATE SET members = t.members + excluded.members;
  ELSIF TG_OP = 'DELETE' THEN
    INSERT INTO leaderboard_tallies AS t (period, referral_count, members)
      SELECT period, referral_count, -count(*) FROM removed WHERE referral_count > 0 GROUP BY 1, 2 ORDER BY 1, 2
      ON CONFLICT (period, referral_count) DO UPDATE SET members = t.members + excluded.members;
    INSERT INTO leaderboard_ties AS t (period, referral_count, bucket, members)
      SELECT period, referral_count, last_credit / 1024, -count(*)
        FROM removed
        WHERE referral_count > 0
        GROUP BY 1, 2, 3
        ORDER BY 1, 2, 3
      ON CONFLICT (period, referral_count, bucket) DO UPDATE SET members = t.members + excluded.members;
  ELSE
    INSERT INTO leaderboard_tallies AS t (period, referral_count, members)
      SELECT period, referral_count, sum(n) FROM (
        SELECT period, referral_count, 1 AS n FROM added UNION ALL SELECT period, referral_count, -1 FROM removed
      ) changes WHERE referral_count > 0 GROUP BY 1, 2 HAVING sum(n) <> 0 ORDER BY 1, 2
      ON CONFLICT (period, referral_count) DO UPDATE SET members = t.members + excluded.members;
    INSERT INTO leaderboard_ties AS t (period, referral_count, bucket, members)
      SELECT period, referral_count, bucket, sum(n) FROM (
        SELECT period, referral_count, last_credit / 1024 AS bucket, 1 AS n FROM added
        UNION ALL SELECT period, referral_count, last_credit / 1024, -1 FROM removed
      ) changes WHERE referral_count > 0 GROUP BY 1, 2, 3 HAVING sum(n) <> 0 ORDER BY 1, 2, 3
      ON CONFLICT (period, referral_count, bucket) DO UPDATE SET members = t.members + excluded.members;
  END IF;
  RETURN NULL;
END
$$;

create function tell_x_account_connected()
  returns trigger
  language plpgsql
as $$
BEGIN
  PERFORM pg_notify('scrapes', 'connected:' || NEW.workspace_id);
  RETURN NULL;
END
$$;

create function waitlist_days_of(joined_at timestamp with time zone, confirmed_at timestamp with time zone, invited_at timestamp with time zone)
  returns table(day date, joined integer, confirmed integer, invited integer)
  language sql
  immutable
as $$
  SELECT (joined_at AT TIME ZONE 'UTC')::date, 1, 0, 0 WHERE joined_at IS NOT NULL
  UNION ALL
  SELECT (greatest(joined_at, confirmed_at) AT TIME ZONE 'UTC')::date, 0, 1, 0
    WHERE joined_at IS NOT NULL AND confirmed_at IS NOT NULL
  UNION ALL
  SELECT (invited_at AT TIME ZONE 'UTC')::date, 0, 0, 1 WHERE invited_at IS NOT NULL
$$;

-- waitlist_state has the row {"id": 1, "joined": 0, "credits": 0}
-- x_apps has the row {"id": "00000000-0000-7000-8000-000000000001"}

ALTER TABLE "auth_codes" ADD COLUMN "sso_identity_id" uuid;--> statement-breakpoint
ALTER TABLE "auth_sessions" ADD COLUMN "sso_identity_id" uuid;--> statement-breakpoint
-- A pairing code lives ten minutes; of those that wait it is not known which session made them.
DELETE FROM extension_codes;--> statement-breakpoint
ALTER TABLE "extension_codes" ADD COLUMN "session_id" uuid NOT NULL;--> statement-breakpoint
ALTER TABLE "auth_tickets" ADD COLUMN "sso_identity_id" uuid;--> statement-breakpoint
ALTER TABLE "auth_codes" ADD CONSTRAINT "auth_codes_sso_identity_id_auth_identities_id_fk" FOREIGN KEY ("sso_identity_id") REFERENCES "public"."auth_identities"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "auth_sessions" ADD CONSTRAINT "auth_sessions_sso_identity_id_auth_identities_id_fk" FOREIGN KEY ("sso_identity_id") REFERENCES "public"."auth_identities"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "extension_codes" ADD CONSTRAINT "extension_codes_session_id_auth_sessions_id_fk" FOREIGN KEY ("session_id") REFERENCES "public"."auth_sessions"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "auth_tickets" ADD CONSTRAINT "auth_tickets_sso_identity_id_auth_identities_id_fk" FOREIGN KEY ("sso_identity_id") REFERENCES "public"."auth_identities"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "auth_sessions_sso" ON "auth_sessions" USING btree ("sso_identity_id") WHERE sso_identity_id is not null;--> statement-breakpoint
-- Which sessions came from single sign-on was not recorded: everyone who has linked it logs in once more.
CREATE TEMPORARY TABLE sso_doubtful ON COMMIT DROP AS
  SELECT s.id FROM auth_sessions s
  WHERE EXISTS (SELECT FROM auth_identities i WHERE i.user_id = s.user_id AND i.provider_id LIKE 'sso:%' AND i.created_at <= s.created_at)
    AND NOT EXISTS (SELECT FROM extension_pairings p WHERE p.session_id = s.id);--> statement-breakpoint
INSERT INTO auth_revocations (session_id) SELECT id FROM sso_doubtful ON CONFLICT DO NOTHING;--> statement-breakpoint
DELETE FROM auth_sessions s USING sso_doubtful d WHERE s.id = d.id;--> statement-breakpoint
DELETE FROM auth_codes WHERE user_id IN (SELECT user_id FROM auth_identities WHERE provider_id LIKE 'sso:%');--> statement-breakpoint
DELETE FROM auth_tickets WHERE user_id IN (SELECT user_id FROM auth_identities WHERE provider_id LIKE 'sso:%');--> statement-breakpoint
-- Any admin could replace the certificate, and the former one is not kept: links from before the last change end.
DELETE FROM auth_identities i USING sso_connections c
  WHERE i.provider_id = 'sso:' || c.id AND c.kind = 'saml' AND i.created_at < c.updated_at;

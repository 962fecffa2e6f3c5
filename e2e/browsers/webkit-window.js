#!/usr/bin/env -S gjs -m
import Gtk from 'gi://Gtk?version=3.0'
import WebKit2 from 'gi://WebKit2?version=4.1'

// A window that contains only WebKitGTK's web view, for WebKitWebDriver. WebKitGTK's own
// MiniBrowser cannot be as narrow as a phone, and does not print the console of a driven page.
Gtk.init(null)
Gtk.Settings.get_default().gtk_enable_animations = false
const context = WebKit2.WebContext.get_default()
context.set_automation_allowed(true)
const settings = new WebKit2.Settings({ enable_write_console_messages_to_stdout: true })
const view = new WebKit2.WebView({ is_controlled_by_automation: true, settings })
context.connect('automation-started', (_, session) => session.connect('create-web-view', () => view))
const window = new Gtk.Window({ decorated: false })
window.add(view)
window.connect('destroy', () => Gtk.main_quit())
window.show_all()
Gtk.main()

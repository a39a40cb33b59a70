// Package live serves a page that updates itself, for users that watch a running peer, a run of many peers, or
// a training. Go code makes the HTML in parts; a small script replaces changed parts, which arrive as
// server-sent events.
//
// A page that no browser shows costs nothing: it is made when a browser requests it.
package live

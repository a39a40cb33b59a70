// Package live serves a page that updates itself, for whoever watches something that runs:
// a peer, a run of many, a training. The page is HTML made here, part by part; a small
// script replaces the parts that have changed, which come as server-sent events.
//
// A page that nobody watches costs nothing: it is made when a browser asks for it.
package live

// Package httpguard bounds what strangers can cost a small HTTP server: how many connections they have, and which pages of
// theirs a browser on this machine can make it answer.
package httpguard

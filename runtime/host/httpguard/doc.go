// Package httpguard limits what strangers can cost a small HTTP server: the number of connections, and requests
// that foreign pages cause in a browser on this machine, under the name of this server or of another one.
package httpguard

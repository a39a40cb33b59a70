package httpguard

import (
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// Names has h answer only requests that name this server as one of the given names, or as loopback. Others come from a
// browser on this machine, by a page of somebody whose own name has begun to stand for this address (DNS rebinding).
func Names(h http.Handler, names ...string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if name := hostname(r.Host); !isLoopback(name) && !slices.Contains(names, name) {
			http.Error(w, "this server answers to localhost, and not to "+name, http.StatusForbidden)
			return
		}
		h.ServeHTTP(w, r)
	})
}

// IsLocal reports whether a listener can be reached from this machine alone.
func IsLocal(l net.Listener) bool {
	at, err := netip.ParseAddrPort(l.Addr().String())
	return err == nil && at.Addr().IsLoopback()
}

// hostname is a Host header without its port, as names are compared.
func hostname(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return strings.ToLower(strings.TrimSuffix(strings.Trim(host, "[]"), "."))
}

func isLoopback(name string) bool {
	ip, err := netip.ParseAddr(name)
	return name == "localhost" || err == nil && ip.IsLoopback()
}

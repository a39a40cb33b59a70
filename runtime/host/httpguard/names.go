package httpguard

import (
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// Names makes h answer only requests whose Host is one of the given names, or loopback. Other requests come
// from a browser on this machine, through a page whose host name now resolves to this address (DNS rebinding).
func Names(h http.Handler, names ...string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if name := hostname(r.Host); !isLoopback(name) && !slices.Contains(names, name) {
			http.Error(w, "this server answers to localhost, and not to "+name, http.StatusForbidden)
			return
		}
		h.ServeHTTP(w, r)
	})
}

// IsLocal reports whether a listener can be reached only from this machine.
func IsLocal(l net.Listener) bool {
	at, err := netip.ParseAddrPort(l.Addr().String())
	return err == nil && at.Addr().IsLoopback()
}

// hostname returns a Host header without its port, normalized for comparison.
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

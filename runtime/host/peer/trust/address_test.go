package trust

import (
	"testing"

	"github.com/bbgen/bbgen/runtime/wire"
)

func TestAddress(t *testing.T) {
	for s, want := range map[string]wire.Address{
		"127.0.0.1:80":          "/ip4/127.0.0.1/tcp/80",
		":80":                   "/ip4/0.0.0.0/tcp/80",
		"[::1]:80":              "/ip6/::1/tcp/80",
		"example.com:80":        "/dns/example.com/tcp/80",
		"/ip4/192.0.2.1/tcp/80": "/ip4/192.0.2.1/tcp/80",
		"example.com":           "",
		"a b:80":                "",
	} {
		got, err := ParseAddress(s, &wireLimits)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%s: got %s, %v", s, got, err)
		}
	}
}

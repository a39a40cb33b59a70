package channel

import (
	"net"
	"testing"
)

type connFrom struct {
	net.Conn
	host string
}

func (c connFrom) RemoteAddr() net.Addr { return c }
func (c connFrom) Network() string      { return "tcp" }
func (c connFrom) String() string       { return c.host + ":1" }

// The address with the most connections loses its oldest; between equals the oldest is closed.
func TestSurplus(t *testing.T) {
	for hosts, want := range map[string]int{"a": 0, "abbb": 1, "babaa": 1, "ab": 0, "cba": 0, "abbcc": 1} {
		var list []early
		for _, h := range hosts {
			list = append(list, early{host: string(h)})
		}
		if got, _ := surplus(list); got != want {
			t.Errorf("%s: number %d goes, want %d", hosts, got, want)
		}
	}
}

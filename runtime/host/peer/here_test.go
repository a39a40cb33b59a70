package peer

import (
	"net"
	"testing"
)

// ends is a stream with addresses.
type ends struct {
	Stream
	local, remote net.Addr
}

func (e ends) LocalAddr() net.Addr  { return e.local }
func (e ends) RemoteAddr() net.Addr { return e.remote }

// Two processes of one machine have one address, whatever it is.
func TestIsHere(t *testing.T) {
	at := func(ip string) net.Addr { return &net.TCPAddr{IP: net.ParseIP(ip), Port: 4001} }
	for _, tt := range []struct {
		s    Stream
		want bool
	}{
		{ends{local: at("127.0.0.1"), remote: at("127.0.0.1")}, true},
		{ends{local: at("::ffff:10.0.0.7"), remote: at("10.0.0.7")}, true},
		{ends{local: at("10.0.0.7"), remote: at("10.0.0.8")}, false},
		{ends{local: &net.UnixAddr{}, remote: &net.UnixAddr{}}, false},
		{ends{local: at("10.0.0.7")}, false},
		{nil, false},
	} {
		if got := isHere(tt.s); got != tt.want {
			t.Errorf("%v: got %v, want %v", tt.s, got, tt.want)
		}
	}
}

package launch

import (
	"fmt"
	"math/rand/v2"
	"net"
)

// Loopback returns an IP address of this machine that other programs are unlikely to use: one of 127.0.0.0/8
// where the whole network is local, as on Linux, otherwise 127.0.0.1. A free port of it remains free until
// its peer starts, and between the peer's end and its restart: the system does not assign it to programs that
// ask for an arbitrary port of 127.0.0.1.
func Loopback() string {
	ip := fmt.Sprintf("127.%d.%d.%d", 1+rand.IntN(254), rand.IntN(256), 1+rand.IntN(254))
	l, err := net.Listen("tcp", net.JoinHostPort(ip, "0"))
	if err != nil {
		return "127.0.0.1"
	}
	l.Close()
	return ip
}

package peer

import "net"

// isHere reports whether the other end of a stream is a process of this machine: both have one address.
func isHere(s Stream) bool {
	ends, ok := s.(interface {
		LocalAddr() net.Addr
		RemoteAddr() net.Addr
	})
	if !ok {
		return false
	}
	local, isTCP := ends.LocalAddr().(*net.TCPAddr)
	remote, _ := ends.RemoteAddr().(*net.TCPAddr)
	return isTCP && remote != nil && local.IP.Equal(remote.IP)
}

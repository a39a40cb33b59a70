//go:build noquic

package libp2p

// udpOption is how tests give QUIC a network of their own.
type udpOption struct{}

// addQUIC adds nothing: addresses of QUIC are not listened at, nor dialled.
func (b *builder) addQUIC([]udpOption) error { return nil }

//go:build noquic

package libp2p

// udpOption lets tests replace the network of QUIC.
type udpOption struct{}

// addQUIC does nothing: addresses of QUIC are neither listened at nor dialed.
func (b *builder) addQUIC([]udpOption) error { return nil }

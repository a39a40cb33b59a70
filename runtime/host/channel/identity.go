package channel

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"math/big"
	"time"

	"github.com/bbgen/bbgen/runtime/host/peer"
	"github.com/bbgen/bbgen/runtime/wire"
)

// ErrCertificate is returned if the other end does not present the certificate of a peer.
var ErrCertificate = errors.New("not the certificate of a peer")

// certificate makes the certificate of a key. It does not expire, as clocks of peers may be wrong.
func certificate(key ed25519.PrivateKey) (tls.Certificate, error) {
	t := &x509.Certificate{
		SerialNumber: big.NewInt(1),
		NotBefore:    time.Unix(0, 0),
		NotAfter:     time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC), // no expiry, according to RFC 5280
	}
	der, err := x509.CreateCertificate(rand.Reader, t, t, key.Public(), key)
	if err != nil {
		return tls.Certificate{}, err
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, nil
}

// peerOf returns the peer that a finished handshake has proven.
func peerOf(s *tls.ConnectionState) (wire.PeerID, error) {
	if len(s.PeerCertificates) != 1 {
		return wire.PeerID{}, fmt.Errorf("%w: a chain of %d, want 1", ErrCertificate, len(s.PeerCertificates))
	}
	key, ok := s.PeerCertificates[0].PublicKey.(ed25519.PublicKey)
	if !ok {
		return wire.PeerID{}, fmt.Errorf("%w: a key of type %v, want Ed25519", ErrCertificate, s.PeerCertificates[0].PublicKeyAlgorithm)
	}
	return wire.PeerIDOf(key)
}

// config is the TLS configuration of both ends.
func config(cert tls.Certificate, protocols []peer.Protocol) *tls.Config {
	var names []string
	for _, p := range protocols {
		names = append(names, string(p))
	}
	return &tls.Config{
		MinVersion:   tls.VersionTLS13,
		Certificates: []tls.Certificate{cert},
		ClientAuth:   tls.RequireAnyClientCert,
		NextProtos:   names,

		// A certificate only holds the key: there is no name or authority to check, and VerifyConnection checks
		// that the key is present.
		InsecureSkipVerify:     true,
		SessionTicketsDisabled: true, // each connection proves the keys
		VerifyConnection: func(s tls.ConnectionState) error {
			if s.NegotiatedProtocol == "" {
				return errors.New("the other end is no peer: it offers no protocol of ours")
			}
			_, err := peerOf(&s)
			return err
		},
	}
}

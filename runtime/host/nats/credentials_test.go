package nats

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"log/slog"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// startServer starts a broker with options, and returns its address.
func startServer(t *testing.T, o server.Options) string {
	t.Helper()
	o.Host, o.Port, o.NoLog, o.NoSigs = "127.0.0.1", server.RANDOM_PORT, true, true
	s, err := server.NewServer(&o)
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	t.Cleanup(s.Shutdown)
	if !s.ReadyForConnections(time.Minute) {
		t.Fatal("the broker does not start")
	}
	return fmt.Sprintf("127.0.0.1:%d", s.Addr().(*net.TCPAddr).Port)
}

// tryWith connects to a broker with an environment.
func tryWith(t *testing.T, at string, env map[string]string) error {
	t.Helper()
	for _, name := range []string{"NATS_CREDS", "NATS_NKEY", "NATS_USER", "NATS_PASSWORD", "NATS_TOKEN", "NATS_CA", "NATS_CERT", "NATS_KEY"} {
		t.Setenv(name, env[name])
	}
	b, err := connect(at, slog.New(slog.DiscardHandler))
	if err == nil {
		b.close()
	}
	return err
}

// TestCredentials connects to brokers that want a password or a token: the environment has them, or the error names the
// broker.
func TestCredentials(t *testing.T) {
	for _, c := range []struct {
		options     server.Options
		right, none map[string]string
	}{
		{server.Options{Username: "peer", Password: "secret"}, map[string]string{"NATS_USER": "peer", "NATS_PASSWORD": "secret"}, map[string]string{"NATS_USER": "peer", "NATS_PASSWORD": "guess"}},
		{server.Options{Authorization: "token"}, map[string]string{"NATS_TOKEN": "token"}, nil},
	} {
		at := startServer(t, c.options)
		if err := tryWith(t, at, c.right); err != nil {
			t.Errorf("%v: %v", c.right, err)
		}
		if err := tryWith(t, at, c.none); err == nil || !strings.Contains(err.Error(), "the broker at "+at+": ") {
			t.Errorf("%v: got %v, want that the broker refuses", c.none, err)
		}
	}
}

// TestPermissions: a broker that does not permit the subjects of peers is refused, and the error says which they are.
func TestPermissions(t *testing.T) {
	at := startServer(t, server.Options{Users: []*server.User{{Username: "peer", Password: "secret", Permissions: &server.Permissions{
		Publish: &server.SubjectPermission{Allow: []string{"other.>"}}, Subscribe: &server.SubjectPermission{Allow: []string{"other.>"}},
	}}}})
	err := tryWith(t, at, map[string]string{"NATS_USER": "peer", "NATS_PASSWORD": "secret"})
	if err == nil || !strings.Contains(err.Error(), "peers subscribe and publish to bbgen.>") {
		t.Errorf("got %v", err)
	}
}

// TestTLS connects to a broker that proves its name and wants the same of clients.
func TestTLS(t *testing.T) {
	cert, key := certificate(t)
	pair, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AddCert(pair.Leaf)
	at := startServer(t, server.Options{TLSTimeout: 60, TLSConfig: &tls.Config{Certificates: []tls.Certificate{pair}, ClientCAs: roots, ClientAuth: tls.RequireAndVerifyClientCert}})
	if err := tryWith(t, at, map[string]string{"NATS_CA": cert, "NATS_CERT": cert, "NATS_KEY": key}); err != nil {
		t.Error(err)
	}
	for what, env := range map[string]map[string]string{
		"no authority":        {"NATS_CERT": cert, "NATS_KEY": key},
		"no certificate":      {"NATS_CA": cert},
		"a missing authority": {"NATS_CA": cert + ".none", "NATS_CERT": cert, "NATS_KEY": key},
		"a missing key":       {"NATS_CA": cert, "NATS_CERT": cert, "NATS_KEY": key + ".none"},
	} {
		if err := tryWith(t, at, env); err == nil {
			t.Errorf("%s: the broker is trusted", what)
		}
	}
}

// certificate writes a certificate for loopback, which is its own authority, and its key.
func certificate(t *testing.T) (certFile, keyFile string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), nil)
	if err != nil {
		t.Fatal(err)
	}
	c := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	der, err := x509.CreateCertificate(nil, c, c, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	certFile, keyFile = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	for name, block := range map[string]*pem.Block{certFile: {Type: "CERTIFICATE", Bytes: der}, keyFile: {Type: "PRIVATE KEY", Bytes: secret}} {
		if err := os.WriteFile(name, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return certFile, keyFile
}

// TestCredentialFiles: a file of credentials that is missing or holds something else is an error before the broker is
// trusted with anything.
func TestCredentialFiles(t *testing.T) {
	at := startServer(t, server.Options{})
	nonsense := filepath.Join(t.TempDir(), "nonsense")
	if err := os.WriteFile(nonsense, []byte("nonsense"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, env := range []map[string]string{
		{"NATS_NKEY": nonsense},
		{"NATS_NKEY": nonsense + ".none"},
		{"NATS_CERT": nonsense, "NATS_KEY": nonsense},
		{"NATS_CA": nonsense},
	} {
		if err := tryWith(t, at, env); err == nil {
			t.Errorf("%v: it connects", env)
		}
	}
}

// TestConnectGivesUp: without a broker the error names its address.
func TestConnectGivesUp(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	at := l.Addr().String()
	l.Close()
	if err := tryWith(t, at, nil); err == nil || !strings.HasPrefix(err.Error(), "the broker at "+at+": ") {
		t.Errorf("got %v", err)
	}
}

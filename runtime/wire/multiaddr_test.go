package wire

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"
)

// The addresses of bytesandbrains and those of networks are read in binary form, and as text.
func TestMultiaddr(t *testing.T) {
	lim := Default()
	id := peer(t, 0)
	hash, _ := id.AppendBinary(nil)
	withID := "a503" + "26" + hex.EncodeToString(hash)
	for _, c := range []struct{ binary, text string }{
		{withID, "/p2p/" + id.String()},
		{withID + "e2010000000000000007", "/p2p/" + id.String() + "/site/7"},
		{withID + "e30100000002e40103616464", "/p2p/" + id.String() + "/component/2/op/add"},
		{"04c0000201060fa1" + withID, "/ip4/192.0.2.1/tcp/4001/p2p/" + id.String()},
		{"2920010db8000000000000000000000001910201bbcd03", "/ip6/2001:db8:0:0:0:0:0:1/udp/443/quic-v1"},
		{"3509612e6578616d706c65060001", "/dns/a.example/tcp/1"},
		{hex.EncodeToString([]byte("/dns/a.example/tcp/1")), "/dns/a.example/tcp/1"},
	} {
		b, err := hex.DecodeString(c.binary)
		if err != nil {
			t.Fatal(err)
		}
		if a, err := consumeMultiaddr(b, &lim); err != nil || string(a) != c.text {
			t.Errorf("%s is %q, %v, want %s", c.binary, a, err, c.text)
		}
		for n := range b {
			if b[0] == '/' {
				break
			}
			if a, err := consumeMultiaddr(b[:n], &lim); err == nil && !strings.HasPrefix(c.text, string(a)) {
				t.Errorf("the first %d bytes of %s are %q", n, c.binary, a)
			}
		}
	}
	for _, bad := range []string{"", "07", "80", "a50300", "a50327" + strings.Repeat("00", 39), "3500", "3503612f62", "3501ff"} {
		b, _ := hex.DecodeString(bad)
		if a, err := consumeMultiaddr(b, &lim); err == nil {
			t.Errorf("%s is the address %q", bad, a)
		}
	}
}

// An envelope of bytesandbrains names its sender by a hash, has binary addresses, round-trip reports and no execution.
func TestForeignEnvelope(t *testing.T) {
	lim := Default()
	id := peer(t, 0)
	hash, _ := id.AppendBinary(nil)
	sum := sha256.Sum256(hash[2:])
	b := append(appendHead(nil, envSrc, 34), shaHead...)
	b = append(b, sum[:]...)
	b = append(appendHead(b, envSrcAddrs, 8), "\x04\xc0\x00\x02\x01\x06\x0f\xa1"...)
	b = append(b, "\x2a\x02\x08\x05"...) // a round-trip report, which is not read
	fill := append(append(appendHead(nil, fillSuffix, SiteSize), AppendSite(nil, 3)...), byte(fillTrigger), 1)
	b = append(appendHead(b, envFills, len(fill)), fill...)
	var e Envelope
	if err := ConsumeEnvelope(&e, b, &lim); err != nil {
		t.Fatal(err)
	}
	if !e.Src.IsZero() || !id.HasHash(e.SrcHash, sha256.Sum256) || peer(t, 1).HasHash(e.SrcHash, sha256.Sum256) || e.SrcAddrs[0] != "/ip4/192.0.2.1/tcp/4001" || !e.Exec.IsZero() || len(e.Fills) != 1 || !e.Fills[0].Trigger {
		t.Errorf("got %+v", e)
	}
}

package wire

import (
	"bytes"
	"encoding/hex"
	"strings"
	"testing"
)

// peers are keys and libp2p's strings for them. The first one is the key in the specification of its peer
// ids.
var peers = []struct{ key, text string }{
	{"1ed1e8fae2c4a144b8be8fd4b47bf3d3b34b871c3cacf6010f0e42d474fce27e", "12D3KooWBtg3aaRMjxwedh83aGiUkwSxDwUZkzuJcfaqUmo7R3pq"},
	{"03a107bff3ce10be1d70dd18e74bc09967e4d6309ba50d5f1ddc8664125531b8", "12D3KooWA4Xop1JaT3MHxwYMkCepYsv4iPVopMXwCz5iHYdBfeSB"},
	{strings.Repeat("00", 32), "12D3KooW9pNAk8aiBuGVQtWRdbkLmo5qVL3e2h5UxbN2Nz9ttwiw"},
	{strings.Repeat("ff", 32), "12D3KooWT3gYEvLJyx1FyyHqrmvdy1tMjpgxmu9aSeKMEuafQtyC"},
}

// TestPeerID compares the text forms and the bytes of peer ids with those of libp2p.
func TestPeerID(t *testing.T) {
	for _, tt := range peers {
		key, _ := hex.DecodeString(tt.key)
		p, err := PeerIDOf(key)
		if err != nil {
			t.Fatal(err)
		}
		if text, _ := p.AppendText(nil); string(text) != tt.text {
			t.Errorf("%s: text is %s, want %s", tt.key, text, tt.text)
		}
		q, err := ParsePeerID(tt.text)
		if err != nil || q != p {
			t.Errorf("%s: parsed as %v, %v", tt.text, q, err)
		}
		b, _ := p.AppendBinary(nil)
		if want, _ := hex.DecodeString("002408011220" + tt.key); !bytes.Equal(b, want) {
			t.Errorf("%s: multihash is %x", tt.text, b)
		}
		var r PeerID
		if err := r.UnmarshalBinary(b); err != nil || r != p {
			t.Errorf("%x: read as %v, %v", b, r, err)
		}
	}
}

// Peers are ordered by their keys.
func TestPeerIDOrder(t *testing.T) {
	for _, p := range peers {
		for _, q := range peers {
			a, _ := ParsePeerID(p.text)
			b, _ := ParsePeerID(q.text)
			if got, want := a.Compare(b), strings.Compare(p.key, q.key); got != want {
				t.Errorf("%s and %s: %d, want %d", p.key, q.key, got, want)
			}
		}
	}
}

// TestPeerIDRefused checks that malformed peer ids are refused.
func TestPeerIDRefused(t *testing.T) {
	for _, text := range []string{
		"", "1", "12D3KooW", "QmYyQSo1c1Ym7orWxLYvCrM2EmxFTANf8wXmmE7DWjhx5N",
		"12D3KooWBtg3aaRMjxwedh83aGiUkwSxDwUZkzuJcfaqUmo7R3p0", // 0 is not a digit
		"112D3KooWBtg3aaRMjxwedh83aGiUkwSxDwUZkzuJcfaqUmo7R3pq",
		strings.Repeat("z", 51), strings.Repeat("z", 52), strings.Repeat("1", 38), strings.Repeat("1", 1<<20),
	} {
		if p, err := ParsePeerID(text); err == nil {
			t.Errorf("%.60s: got %v, want an error", text, p)
		}
	}
	if _, err := PeerIDOf(make([]byte, 31)); err == nil {
		t.Error("a key of 31 bytes is taken")
	}
}

// TestAddressPeer checks which peer an address names.
func TestAddressPeer(t *testing.T) {
	for _, tt := range []struct {
		a    Address
		want string
	}{
		{"/ip4/192.0.2.1/tcp/4001", "-"},
		{Address("/ip4/192.0.2.1/tcp/4001/p2p/" + peers[0].text), peers[0].text},
		{Address("/ip4/192.0.2.1/tcp/1/p2p/" + peers[0].text + "/p2p-circuit/p2p/" + peers[1].text), peers[1].text},
		{"/ip4/192.0.2.1/p2p/nonsense", "-"},
	} {
		if p, _ := tt.a.Peer(); p.String() != tt.want {
			t.Errorf("%s: got %v, want %s", tt.a, p, tt.want)
		}
	}
}

// FuzzPeerID parses arbitrary strings; what is parsed must have the same text.
func FuzzPeerID(f *testing.F) {
	for _, tt := range peers {
		f.Add(tt.text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := ParsePeerID(text)
		if err != nil {
			return
		}
		if got, _ := p.AppendText(nil); string(got) != text {
			t.Errorf("%s comes back as %s", text, got)
		}
	})
}

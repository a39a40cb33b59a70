package wire

import (
	"encoding/hex"
	"strings"
	"testing"
)

// Peers of bytesandbrains may be named by any multihash. Only that of a key and its SHA-256 say who sends; others are
// names that an address may have, and what is no multihash is refused.
func TestMultihash(t *testing.T) {
	key, digest := peers[0].key, strings.Repeat("ab", 64)
	for _, c := range []struct {
		what, hash, key, sha string // hash, key and sha in hexadecimal digits
		refused              string
	}{
		{what: "identity of a key", hash: "002408011220" + key, key: key},
		{what: "SHA-256", hash: "1220" + digest[:64], sha: digest[:64]},
		{what: "identity of a number", hash: "00080000000000000007"},
		{what: "identity of another kind of key", hash: "002508021221" + digest[:66]},
		{what: "SHA-512", hash: "1340" + digest},
		{what: "SHA-256, in part", hash: "1214" + digest[:40]},
		{what: "BLAKE2b-256, whose number has three bytes", hash: "a0e40220" + digest[:64]},
		{what: "a function that nobody knows", hash: "ffffffff0704" + digest[:8]},
		{what: "one byte", hash: "1201ab"},

		{what: "nothing", hash: "", refused: "multihash"},
		{what: "a number alone", hash: "12", refused: "multihash"},
		{what: "a number without an end", hash: "8080", refused: "multihash"},
		{what: "a number of more than 64 bits", hash: strings.Repeat("ff", 10) + "7f20" + digest[:64], refused: "multihash"},
		{what: "a size of more than 64 bits", hash: "12" + strings.Repeat("ff", 10) + "7f" + digest[:64], refused: "multihash"},
		{what: "a size near 2^63", hash: "12ffffffffffffffff7f" + digest[:64], refused: "multihash"},
		{what: "no digest", hash: "1200", refused: "a digest of 0 bytes, want 1 to 64"},
		{what: "a digest that is too long", hash: "1341" + digest + "ab", refused: "a digest of 65 bytes, want 1 to 64"},
		{what: "a digest that ends early", hash: "1220" + digest[:62], refused: "multihash"},
		{what: "a byte behind the digest", hash: "1220" + digest[:66], refused: "35 bytes, and 1 too many"},
		{what: "a digest with zeros in its size", hash: "13" + "c0" + strings.Repeat("80", 8) + "00" + digest, refused: "75 bytes, want at most 74"},
	} {
		b, err := hex.DecodeString(c.hash)
		if err != nil {
			t.Fatalf("%s: %v", c.what, err)
		}
		p, sha, err := consumeSource(b)
		if refused := err != nil; refused != (c.refused != "") || refused && !strings.Contains(err.Error(), c.refused) {
			t.Errorf("%s: %v, want %q", c.what, err, c.refused)
		}
		var want PeerID
		if c.key != "" {
			want = mustPeer(t, c.key)
		}
		if p != want || hex.EncodeToString(sha) != c.sha {
			t.Errorf("%s: the sender is %v or has the hash %x, want %v or %s", c.what, p, sha, want, c.sha)
		}
		checkInAddress(t, c.what, b, want, c.refused)
	}
}

// checkInAddress checks the address that names a peer by a multihash.
func checkInAddress(t *testing.T, what string, hash []byte, want PeerID, refused string) {
	t.Helper()
	lim := Default()
	binary := append(append([]byte("\xa5\x03"), byte(len(hash))), hash...)
	a, err := consumeMultiaddr(binary, &lim)
	if refused != "" {
		if err == nil || !strings.Contains(err.Error(), refused) {
			t.Errorf("%s: the address is %q, %v, want %q", what, a, err, refused)
		}
		return
	}
	text := string(appendBase58(nil, hash))
	if err != nil || string(a) != "/p2p/"+text {
		t.Errorf("%s: the address is %q, %v, want /p2p/%s", what, a, err, text)
	}
	if p, _ := a.Peer(); p != want {
		t.Errorf("%s: the address %s names %v, want %v", what, a, p, want)
	}
}

func mustPeer(t *testing.T, key string) PeerID {
	t.Helper()
	b, err := hex.DecodeString(key)
	if err != nil {
		t.Fatal(err)
	}
	p, err := PeerIDOf(b)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

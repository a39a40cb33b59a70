package trust

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bbgen/bbgen/runtime/wire"
)

// TestGuests: a server admits the clients that were added, and those that prove an invitation, also after a
// restart.
func TestGuests(t *testing.T) {
	dir := t.TempDir()
	g := openGuests(t, dir)
	if g.Has(testID(5)) {
		t.Error("an unknown peer is admitted")
	}
	if err := g.Add(testID(5), "client"); err != nil {
		t.Fatal(err)
	}
	address := wire.Address("/ip4/192.0.2.1/tcp/4001/p2p/" + IDOf(g.Key()).String())
	if err := g.Listens("server", []wire.Address{address}); err != nil {
		t.Fatal(err)
	}
	token, err := Invite(dir, "client", time.Hour, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !IsToken(token.String()) || !slices.Equal(token.Issuer.Addresses, []wire.Address{address}) || token.Issuer.ID != IDOf(g.Key()) {
		t.Errorf("the invitation is %+v", token)
	}
	if err := g.Redeem(testID(6), &wire.Hello{Classes: []string{"client"}, JoinProof: token.Proof(testID(7))}); err == nil || g.Has(testID(6)) {
		t.Error("a peer with another peer's invitation is admitted")
	}
	if err := g.Redeem(testID(6), &wire.Hello{Classes: []string{"client"}, JoinProof: token.Proof(testID(6))}); err != nil || !g.Has(testID(6)) {
		t.Errorf("a peer with an invitation is refused: %v", err)
	}
	if _, err := OpenGuests(dir); err == nil {
		t.Error("a second process has the directory")
	}
	key := g.Key()
	if err := g.Close(); err != nil {
		t.Fatal(err)
	}
	g = openGuests(t, dir)
	defer g.Close()
	if !g.Key().Equal(key) || !g.Has(testID(5)) || !g.Has(testID(6)) {
		t.Error("key or guests are others after a start")
	}
}

func openGuests(t *testing.T, dir string) *Guests {
	t.Helper()
	g, err := OpenGuests(dir)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// TestLoadKey: a key is created once, together with its folder.
func TestLoadKey(t *testing.T) {
	file := filepath.Join(t.TempDir(), "new", "key.pem")
	key, err := LoadKey(file)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := LoadKey(file); err != nil || !again.Equal(key) {
		t.Errorf("another key: %v", err)
	}
	a, b := NewIdentity(key), []byte("message")
	if !a.Verify(a.Self(), b, a.Sign(b)) || a.Verify(testID(1), b, a.Sign(b)) {
		t.Error("the identity is not the key's")
	}
}

// TestReadMembers: a missing file has no members, and an invalid one is an error with its name.
func TestReadMembers(t *testing.T) {
	file := filepath.Join(t.TempDir(), "peers.json")
	if list, err := ReadMembers(file); err != nil || list != nil {
		t.Errorf("no file: got %v, %v", list, err)
	}
	for text, want := range map[string]string{
		`[{"id": "` + testID(1).String() + `", "class": "server"}]`: "",
		`{}`:                                     "peers.json: want a list of peers, each with id, class, rank and addresses",
		`[null]`:                                 "peers.json: entry 1: a peer without id",
		`[{"id": "` + testID(1).String() + `"}]`: "entry 1: peer " + testID(1).String() + " has no class",
		`[{"id": "` + testID(1).String() + `", "class": "server", "rank": -1}]`: "has rank -1, want 0 or more",
		strings.Repeat(" ", maxList+1):                                          "peers.json has more than 67108864 bytes",
	} {
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		list, err := ReadMembers(file)
		if want == "" && (err != nil || len(list) != 1 || list[0].ID != testID(1)) || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: got %v, %v, want %q", text, list, err, want)
		}
	}
}

func TestParseAddresses(t *testing.T) {
	got, err := ParseAddresses([]string{"192.0.2.1:4001", "/ip4/192.0.2.2/tcp/4001"}, &wireLimits)
	if want := []wire.Address{"/ip4/192.0.2.1/tcp/4001", "/ip4/192.0.2.2/tcp/4001"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
	if _, err := ParseAddresses([]string{"192.0.2.1:4001", "nowhere"}, &wireLimits); err == nil {
		t.Error("what is no address is read")
	}
}

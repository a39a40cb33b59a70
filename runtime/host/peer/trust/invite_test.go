package trust

import (
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/disk"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/state"
	"github.com/bbgen/bbgen/runtime/wire"
)

var wireLimits = wire.Default()

func testID(i byte) wire.PeerID {
	key := [32]byte{0: i, 31: 1}
	id, _ := wire.PeerIDOf(key[:])
	return id
}

func testToken() *Token {
	return &Token{Issuer: Member{ID: testID(1), Class: "server", Addresses: []wire.Address{"/ip4/192.0.2.1/tcp/4001/p2p/" + wire.Address(testID(1).String())}},
		Class: "client", Rank: 3, Expires: time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC), Secret: make([]byte, secretSize)}
}

// TestTokenText checks that the text of a token is parsed.
func TestTokenText(t *testing.T) {
	want := testToken()
	got, err := ParseToken(" "+want.String()+"\n", &wireLimits)
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v", got, err)
	}
	other := testToken()
	other.Issuer.ID = testID(2) // its address names another peer
	none := testToken()
	none.Issuer.Addresses = nil
	for text, want := range map[string]string{
		"":                        "not an invitation",
		"bbgen-join-!":            "damaged",
		"bbgen-join-" + "e30":     "secret of 0 bytes",
		other.String():            "another peer's",
		none.String():             "no address",
		strings.Repeat("x", 9999): "not an invitation",
	} {
		if _, err := ParseToken(text, &wireLimits); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.30s: got %v, want %s", text, err, want)
		}
	}
}

// FuzzToken parses arbitrary strings, which must not cause a panic.
func FuzzToken(f *testing.F) {
	f.Add(testToken().String())
	f.Add("bbgen-join-e30")
	f.Fuzz(func(t *testing.T, s string) {
		k, err := ParseToken(s, &wireLimits)
		if err != nil {
			return
		}
		again, err := ParseToken(k.String(), &wireLimits)
		if err != nil || again.String() != k.String() {
			t.Fatalf("%q comes back as %v, %v", s, again, err)
		}
	})
}

// testSelf is the peer to which the members belong.
var testSelf = &Self{Member: Member{ID: testID(1), Class: "server"}}

// newTestMembers returns the allow-list of testID(1).
func newTestMembers(t *testing.T) *Members {
	t.Helper()
	dir := t.TempDir()
	if err := state.Make(disk.OS, dir); err != nil {
		t.Fatal(err)
	}
	m, err := NewMembers(testID(1), nil, disk.OS, dir, &wireLimits)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// A peer that cannot be recorded because the disk is full has not joined, and may try again.
func TestRedeemAgain(t *testing.T) {
	m := newTestMembers(t)
	inv, err := m.invite(testSelf, "client", -1, time.Now().Add(time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	h := &wire.Hello{JoinProof: proof(inv.Secret, m.self, testID(2), "client"), Classes: []string{"client"}}
	file := filepath.Join(m.dir, state.MembersFile)
	if err := os.Mkdir(file, 0o700); err != nil { // where nothing can be written
		t.Fatal(err)
	}
	if _, err := m.Redeem(testID(2), h, time.Now()); err == nil || m.Has(testID(2)) {
		t.Errorf("it cannot be written down: got %v, and it is a member: %v", err, m.Has(testID(2)))
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if j, err := m.Redeem(testID(2), h, time.Now()); err != nil || j == nil || !m.Has(testID(2)) {
		t.Errorf("the second time: %v, %v", j, err)
	}
}

func TestRedeem(t *testing.T) {
	m := newTestMembers(t)
	now := time.Now()
	inv, err := m.invite(testSelf, "client", -1, now.Add(time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	next, err := m.invite(testSelf, "client", -1, now.Add(time.Hour))
	if err != nil || inv.Rank != 0 || next.Rank != 1 {
		t.Fatalf("ranks %d and %d, %v", inv.Rank, next.Rank, err)
	}
	good := proof(inv.Secret, m.self, testID(2), "client")
	hello := func(proof []byte, class string) *wire.Hello {
		return &wire.Hello{JoinProof: proof, Classes: []string{class}}
	}
	wrong := append([]byte(nil), good...)
	wrong[len(wrong)-1] ^= 1
	for _, tt := range []struct {
		name  string
		id    wire.PeerID
		hello *wire.Hello
		now   time.Time
		want  error
	}{
		{"short", testID(2), hello(good[:8], "client"), now, ErrInvitation},
		{"unknown", testID(2), hello(make([]byte, proofSize), "client"), now, ErrInvitation},
		{"wrong", testID(2), hello(wrong, "client"), now, ErrInvitation},
		{"another peer's", testID(3), hello(good, "client"), now, ErrInvitation},
		{"expired", testID(2), hello(good, "client"), now.Add(2 * time.Hour), ErrInvitation},
		{"class", testID(2), hello(good, "server"), now, runtime.ErrClass},
		{"good", testID(2), hello(good, "client"), now, nil},
		{"again", testID(2), hello(good, "client"), now, nil},
		{"used", testID(3), hello(proof(inv.Secret, m.self, testID(3), "client"), "client"), now, ErrInvitation},
	} {
		if _, err := m.Redeem(tt.id, tt.hello, tt.now); !errors.Is(err, tt.want) || (err == nil) != (tt.want == nil) {
			t.Errorf("%s: got %v, want %v", tt.name, err, tt.want)
		}
	}

	// A crash between the two writes leaves the invitation behind: it counts as used.
	again, err := NewMembers(m.self, nil, disk.OS, m.dir, &wireLimits)
	if err != nil || len(again.List()) != 1 || again.List()[0].ID != testID(2) || again.List()[0].Class != "client" {
		t.Fatalf("%+v, %v", again.List(), err)
	}
	b, err := state.Seal(&invitation{"client", 0, now.Add(time.Hour), make([]byte, secretSize)})
	if err != nil {
		t.Fatal(err)
	}
	name := inviteName(make([]byte, secretSize))
	if err := os.WriteFile(inviteFile(m.dir, name), b, 0o600); err != nil {
		t.Fatal(err)
	}
	again.List()[0].Invite = name
	if _, err := again.Redeem(testID(4), hello(proof(make([]byte, secretSize), m.self, testID(4), "client"), "client"), now); !errors.Is(err, ErrInvitation) {
		t.Errorf("got %v", err)
	}
}

// An invitation's name does not reveal its secret, and only the owner can read the files.
func TestInviteFile(t *testing.T) {
	m := newTestMembers(t)
	inv, err := m.invite(testSelf, "client", 7, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	if name := inviteName(inv.Secret); strings.Contains(name, hex.EncodeToString(inv.Secret[:4])) {
		t.Error("the name holds the secret")
	}
	files, _ := filepath.Glob(filepath.Join(m.dir, state.InvitesDir, "*.json"))
	for _, f := range append(files, filepath.Join(m.dir, state.InvitesDir), m.dir) {
		if info, err := os.Stat(f); err != nil || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s: %v, %v", f, info.Mode(), err)
		}
	}
	if len(files) != 1 {
		t.Errorf("%d files", len(files))
	}
}

func TestMembersRefuse(t *testing.T) {
	for _, tt := range []struct {
		m    Member
		want string
	}{
		{Member{Class: "client"}, "without id"},
		{Member{ID: testID(2)}, "no class"},
		{Member{ID: testID(2), Class: "client", Rank: -1}, "rank -1"},
		{Member{ID: testID(2), Class: "client", Addresses: []wire.Address{"nowhere"}}, "want host:port or /ip4/"},
		{Member{ID: testID(2), Class: "client", Addresses: []wire.Address{wire.Address("/ip4/192.0.2.1/tcp/1/p2p/" + testID(3).String())}}, "another peer's"},
	} {
		if _, err := NewMembers(testID(1), []Member{tt.m}, disk.OS, "", &wireLimits); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%+v: got %v, want %s", tt.m, err, tt.want)
		}
	}
}

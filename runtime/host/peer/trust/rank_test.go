package trust

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bbgen/bbgen/runtime/host/disk"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/state"
	"github.com/bbgen/bbgen/runtime/wire"
)

// newTestState returns the state directory of a peer that has run.
func newTestState(t *testing.T, s *Self) string {
	t.Helper()
	dir := t.TempDir()
	if err := state.Make(disk.OS, dir); err != nil {
		t.Fatal(err)
	}
	s.Addresses = []wire.Address{"/ip4/192.0.2.1/tcp/1"}
	if err := WriteSelf(disk.OS, dir, s); err != nil {
		t.Fatal(err)
	}
	return dir
}

// Concurrent invitations have different ranks: none of the issuer, of a configured peer, or of a member.
func TestInviteRanks(t *testing.T) {
	dir := newTestState(t, &Self{Member: Member{ID: testID(1), Class: "client+server", Rank: 2}, Configured: []Ranked{{"client", 0}, {"server", 1}}})
	m, err := NewMembers(testID(1), nil, disk.OS, dir, &wireLimits)
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Add(Member{ID: testID(2), Class: "client", Rank: 4}); err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var got []int
	var all sync.WaitGroup
	for range 30 {
		all.Go(func() {
			k, err := MakeToken(dir, "client", -1, time.Now().Add(time.Hour), nil)
			if err != nil {
				t.Error(err)
				return
			}
			mu.Lock()
			defer mu.Unlock()
			got = append(got, k.Rank)
		})
	}
	all.Wait()
	slices.Sort(got)
	want := []int{1, 3}
	for r := 5; len(want) < 30; r++ {
		want = append(want, r)
	}
	if !slices.Equal(got, want) {
		t.Errorf("ranks %v, want %v", got, want)
	}
	if _, err := MakeToken(dir, "client", 2, time.Now().Add(time.Hour), nil); err == nil || !strings.Contains(err.Error(), "this peer itself is client+server-2") {
		t.Errorf("it gives its own rank away: %v", err)
	}
}

// The rank of a used invitation remains taken, whenever other peers are invited.
func TestInviteWhileRedeemed(t *testing.T) {
	dir := newTestState(t, testSelf)
	running, err := NewMembers(testID(1), nil, disk.OS, dir, &wireLimits)
	if err != nil {
		t.Fatal(err)
	}
	command, err := NewMembers(testID(1), nil, disk.OS, dir, &wireLimits)
	if err != nil {
		t.Fatal(err)
	}
	inv, err := running.invite(testSelf, "client", -1, time.Now().Add(time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	h := &wire.Hello{JoinProof: proof(inv.Secret, testID(1), testID(2), "client"), Classes: []string{"client"}}
	if _, err := running.Redeem(testID(2), h, time.Now()); err != nil {
		t.Fatal(err)
	}
	if next, err := command.invite(testSelf, "client", -1, time.Now().Add(time.Hour)); err != nil || next.Rank != 1 {
		t.Errorf("the next one is %+v, %v; want rank 1", next, err)
	}
}

// A peer that was invited does not know which ranks its issuer assigns: it assigns none by itself.
func TestInviteByMember(t *testing.T) {
	dir := newTestState(t, &Self{Member: Member{ID: testID(1), Class: "client", Rank: 0}})
	m, err := NewMembers(testID(1), nil, disk.OS, dir, &wireLimits)
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Add(Member{ID: testID(2), Class: "server", Issuer: true}); err != nil {
		t.Fatal(err)
	}
	want := "invite: this peer itself was invited by server-0, which has the list of taken ranks: invite there, or give -rank"
	if k, err := MakeToken(dir, "client", -1, time.Now().Add(time.Hour), nil); err == nil || err.Error() != want {
		t.Errorf("got %v, %v, want %s", k, err, want)
	}
	if k, err := MakeToken(dir, "client", 7, time.Now().Add(time.Hour), nil); err != nil || k.Rank != 7 {
		t.Errorf("with -rank 7: got %v, %v", k, err)
	}
}

// The record of a peer about itself is read unchanged, or not at all.
func TestSelfDamaged(t *testing.T) {
	dir := newTestState(t, &Self{Member: Member{ID: testID(1), Class: "x", Rank: 1}})
	file := filepath.Join(dir, state.SelfFile)
	good, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	spoilt := map[string][]byte{"empty": {}, "half": good[:len(good)/2], "another": []byte(strings.Replace(string(good), `"rank": 1`, `"rank": 2`, 1))}
	for bit := range 8 * len(good) {
		b := slices.Clone(good)
		b[bit/8] ^= 1 << (bit % 8)
		spoilt["flipped"] = b
		for how, b := range spoilt {
			if err := os.WriteFile(file, b, 0o600); err != nil {
				t.Fatal(err)
			}
			if s, err := ReadSelf(disk.OS, dir); err == nil && (s.ID != testID(1) || s.Class != "x" || s.Rank != 1 || len(s.Addresses) != 1 || s.Addresses[0] != "/ip4/192.0.2.1/tcp/1") {
				t.Fatalf("%s, bit %d: it is read as %+v", how, bit, s)
			} else if err != nil && !errors.Is(err, state.ErrDamaged) {
				t.Fatalf("%s, bit %d: %v", how, bit, err)
			}
		}
		spoilt = map[string][]byte{}
	}
	os.WriteFile(file, nil, 0o600)
	if _, err := MakeToken(dir, "x", -1, time.Now().Add(time.Hour), nil); !errors.Is(err, state.ErrDamaged) || !strings.Contains(err.Error(), "when the peer starts") {
		t.Errorf("invite says %v", err)
	}
	if _, err := Kept(disk.OS, dir, testID(1), "x"); !errors.Is(err, state.ErrDamaged) || !strings.Contains(err.Error(), "-rank") {
		t.Errorf("the next start says %v", err)
	}
}

package trust

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/bbgen/bbgen/runtime/host/disk"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/state"
	"github.com/bbgen/bbgen/runtime/wire"
)

// FuzzState starts a peer with arbitrary files in its state directory. It must start or return an error.
func FuzzState(f *testing.F) {
	dir := f.TempDir()
	m, err := NewMembers(testID(1), nil, disk.OS, "", &limits)
	if err != nil {
		f.Fatal(err)
	}
	if err := state.Make(disk.OS, dir); err != nil {
		f.Fatal(err)
	}
	m.dir = dir
	if err := m.Add(Member{ID: testID(2), Class: "client", Addresses: []wire.Address{"/ip4/192.0.2.1/tcp/1"}, Invite: "00"}); err != nil {
		f.Fatal(err)
	}
	inv, err := m.invite(testSelf, "client", 3, time.Unix(1, 0))
	if err != nil {
		f.Fatal(err)
	}
	if err := WriteSelf(disk.OS, dir, testSelf); err != nil {
		f.Fatal(err)
	}
	for _, file := range []string{state.MembersFile, state.SelfFile, filepath.Join(state.InvitesDir, inviteName(inv.Secret)+".json")} {
		b, err := os.ReadFile(filepath.Join(dir, file))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Add([]byte("begun\nbbgen snapshot 1\n"))
	f.Add([]byte(`[{"id":"12D3KooW9pNAk8aiBuGVQtWRdbkLmo5qVL3e2h5UxbN2Nz9ttwiw","rank":-1}]`))
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, file := range []string{state.MembersFile, state.SelfFile, state.SnapshotFile, state.KeyFile, inviteFile("", "aa")} {
			if err := os.WriteFile(filepath.Join(dir, file), b, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		ReadSelf(disk.OS, dir)
		ReadKey(filepath.Join(dir, state.KeyFile))
		state.Read(disk.OS, dir, state.SnapshotFile)
		kept, err := NewMembers(testID(1), nil, disk.OS, dir, &limits)
		if err != nil {
			return
		}
		for _, x := range kept.List() {
			if err := x.Check(&limits); err != nil {
				t.Errorf("a member is kept that %v", err)
			}
		}
		kept.freeRank(testSelf, "client")
		hello := wire.Hello{Classes: []string{"client"}, JoinProof: append([]byte{0xaa}, make([]byte, proofSize-1)...)}
		if j, err := kept.Redeem(testID(9), &hello, time.Now()); err == nil && j != nil {
			t.Errorf("%s lets in a peer that proves nothing", b)
		}
	})
}

// FuzzJoin redeems proofs of a stranger against an invitation.
func FuzzJoin(f *testing.F) {
	dir := f.TempDir()
	if err := state.Make(disk.OS, dir); err != nil {
		f.Fatal(err)
	}
	m, err := NewMembers(testID(1), nil, disk.OS, dir, &limits)
	if err != nil {
		f.Fatal(err)
	}
	inv, err := m.invite(testSelf, "client", 0, time.Now().Add(time.Hour))
	if err != nil {
		f.Fatal(err)
	}
	right := proof(inv.Secret, testID(1), testID(2), "client")
	f.Add(right[:inviteSize], "client", int64(0))
	f.Add(proof(inv.Secret, testID(1), testID(3), "client"), "client", int64(1)) // of another peer
	f.Fuzz(func(t *testing.T, p []byte, class string, at int64) {
		if string(p) == string(right) {
			return
		}
		hello := wire.Hello{Classes: []string{class}, JoinProof: p}
		if j, err := m.Redeem(testID(2), &hello, time.Unix(at, 0)); err == nil {
			t.Fatalf("%x lets %+v in", p, j)
		}
	})
}

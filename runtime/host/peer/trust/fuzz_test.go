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
	m, err := NewMembers(testID(1), nil, disk.OS, "", &wireLimits)
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
		kept, err := NewMembers(testID(1), nil, disk.OS, dir, &wireLimits)
		if err != nil {
			return
		}
		for _, x := range kept.List() {
			if err := x.Check(&wireLimits); err != nil {
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

// FuzzJoin has strangers redeem proofs, four bytes each: who, against which invitation, what is wrong with the proof, and when.
// They are let in if and only if nothing is wrong, and once for each invitation.
func FuzzJoin(f *testing.F) {
	f.Add([]byte{0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 9})          // one, again, another with the same invitation, and with a second one
	f.Add([]byte{2, 2, 0, 9, 2, 2, 0, 11, 2, 1, 0, 11})                    // in time, too late
	f.Add([]byte{0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 7})          // wrong proofs
	f.Add([]byte{0, 0, 5, 3, 0, 0, 6, 0, 0, 0, 7, 0, 0, 0, 8, 0, 0, 0, 9}) // changed and cut proofs, and other classes
	f.Fuzz(func(t *testing.T, plays []byte) {
		x := newJoins(t)
		for ; len(plays) >= 4 && x.plays < 12; plays = plays[4:] {
			x.play(t, plays[0]%4, plays[1]%3, plays[2]%10, plays[3])
		}
		kept, err := NewMembers(testID(1), nil, disk.OS, x.dir, &wireLimits)
		if err != nil {
			t.Fatal(err)
		}
		if len(kept.List()) != len(x.in) {
			t.Errorf("%d members are kept, want %d", len(kept.List()), len(x.in))
		}
	})
}

// joins is a peer that has issued invitations, and what must have become of these.
type joins struct {
	dir         string
	m           *Members
	invitations []*invitation
	used        [3]bool
	in          map[wire.PeerID]bool
	plays       int
}

func newJoins(t *testing.T) *joins {
	x := &joins{dir: t.TempDir(), in: map[wire.PeerID]bool{}}
	if err := state.Make(disk.OS, x.dir); err != nil {
		t.Fatal(err)
	}
	var err error
	if x.m, err = NewMembers(testID(1), nil, disk.OS, x.dir, &wireLimits); err != nil {
		t.Fatal(err)
	}
	for i, class := range []string{"client", "client", "server"} {
		inv, err := x.m.invite(testSelf, class, -1, joinsBegin.Add(time.Duration(i+8)*time.Minute))
		if err != nil {
			t.Fatal(err)
		}
		x.invitations = append(x.invitations, inv)
	}
	return x
}

// joinsBegin is when invitations are issued: an hour from now, as expired ones are removed.
var joinsBegin = time.Now().Add(time.Hour).Round(time.Second)

// play redeems a proof. The value is the minute, and the place of what is changed in the proof.
func (x *joins) play(t *testing.T, who, which, wrong, value byte) {
	x.plays++
	id, inv := testID(2+who), x.invitations[which]
	p := proof(inv.Secret, testID(1), id, inv.Class)
	classes := []string{inv.Class}
	switch wrong {
	case 1:
		p = proof(inv.Secret, testID(1), testID(9), inv.Class)
	case 2:
		p = proof(inv.Secret, testID(9), id, inv.Class)
	case 3:
		p = proof(inv.Secret, testID(1), id, inv.Class+"s")
	case 4:
		p = append(p[:inviteSize:inviteSize], proof(x.invitations[(which+1)%3].Secret, testID(1), id, inv.Class)[inviteSize:]...)
	case 5:
		p[int(value)%len(p)] ^= 1 << (value % 8)
	case 6:
		p = p[:int(value)%len(p)]
	case 7:
		p = append(p, value)
	case 8:
		classes = nil
	case 9:
		classes = []string{"other"}
	}
	at := joinsBegin.Add(time.Duration(value) * time.Minute)
	want := wrong == 0 && !x.used[which] && !at.After(inv.Expires)
	joined, err := x.m.Redeem(id, &wire.Hello{Classes: classes, JoinProof: p}, at)
	switch {
	case x.in[id]:
		if joined != nil || err != nil {
			t.Errorf("a member redeems something: got %v, %v", joined, err)
		}
	case want != (err == nil):
		t.Errorf("peer %d with invitation %d, wrong %d, value %d: got %v, want it in: %v", who, which, wrong, value, err, want)
	case want:
		if joined == nil || joined.ID != id || joined.Class != inv.Class || joined.Rank != inv.Rank {
			t.Errorf("invitation %+v lets %+v in", inv, joined)
		}
		x.in[id], x.used[which] = true, true
	}
}

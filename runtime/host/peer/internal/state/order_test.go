package state

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/bbgen/bbgen/runtime/host/disk"
)

// An order is read as it was written, until it is removed; a damaged one is no order.
func TestOrder(t *testing.T) {
	dir := t.TempDir()
	if o, err := ReadOrder(disk.OS, dir); o != nil || err != nil {
		t.Fatalf("an empty directory has the order %+v, %v", o, err)
	}
	want := Order{ID: "a", Binary: "/bin/peer", Until: time.Unix(1, 0).UTC(), Stage: Accepted, Now: Version{Program: "p", Class: "c", Fingerprint: "01", Layout: "7", Build: "2"}}
	for _, id := range []string{"a", "b"} { // the second replaces the first
		want.ID = id
		if err := WriteOrder(disk.OS, dir, &want); err != nil {
			t.Fatal(err)
		}
		if got, err := ReadOrder(disk.OS, dir); err != nil || *got != want {
			t.Errorf("got %+v, %v, want %+v", got, err, want)
		}
	}
	if err := RemoveOrder(disk.OS, dir); err != nil {
		t.Fatal(err)
	}
	if o, err := ReadOrder(disk.OS, dir); o != nil || err != nil {
		t.Errorf("a removed order is read: %+v, %v", o, err)
	}
	if err := os.WriteFile(filepath.Join(dir, OrderFile), []byte("scribble"), 0o600); err != nil {
		t.Fatal(err)
	}
	if o, err := ReadOrder(disk.OS, dir); o != nil || !errors.Is(err, ErrDamaged) {
		t.Errorf("a damaged order is %+v, %v", o, err)
	}
}

// A decision is kept beside an order, and is removed by itself.
func TestPredecessor(t *testing.T) {
	dir := t.TempDir()
	want := Predecessor{Fingerprint: "02", Accept: "01"}
	if err := errors.Join(WritePredecessor(disk.OS, dir, &want), WriteOrder(disk.OS, dir, &Order{ID: "a"})); err != nil {
		t.Fatal(err)
	}
	if got, err := ReadPredecessor(disk.OS, dir); err != nil || *got != want {
		t.Errorf("got %+v, %v, want %+v", got, err, want)
	}
	if err := RemovePredecessor(disk.OS, dir); err != nil {
		t.Fatal(err)
	}
	if got, err := ReadPredecessor(disk.OS, dir); got != nil || err != nil {
		t.Errorf("a removed decision is read: %+v, %v", got, err)
	}
	if o, err := ReadOrder(disk.OS, dir); err != nil || o == nil {
		t.Errorf("the order is removed with the decision: %+v, %v", o, err)
	}
}

// An upgrade is under way until it has come to its end, or its time is over.
func TestOrderIsUnderWay(t *testing.T) {
	now := time.Now()
	for stage, want := range map[Stage]bool{Ordered: true, Taken: true, Accepted: true, Refused: false, Upgraded: false} {
		o := &Order{Stage: stage, Until: now.Add(time.Second)}
		if got := o.IsUnderWay(now); got != want {
			t.Errorf("%s: %v, want %v", stage, got, want)
		}
		if o.IsUnderWay(o.Until) {
			t.Errorf("%s: it is under way when its time is over", stage)
		}
	}
}

// A version without a build names none.
func TestVersionText(t *testing.T) {
	v := Version{Program: "p", Class: "c", Fingerprint: "01"}
	for build, want := range map[string]string{"": "c of program p, fingerprint 01", "7": "c of program p, fingerprint 01, build 7"} {
		if v.Build = build; v.String() != want {
			t.Errorf("got %q, want %q", v.String(), want)
		}
	}
}

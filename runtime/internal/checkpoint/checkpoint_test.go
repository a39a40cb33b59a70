package checkpoint

import "testing"

// What happens is durable when the first snapshot after it is stored, and not before.
func TestDurable(t *testing.T) {
	for name, tr := range map[string]Tracker{"new": {}, "restored": Restored()} {
		if tr.IsDurable(0) != (name == "restored") {
			t.Errorf("%s: what was there from the start is durable: %v", name, tr.IsDurable(0))
		}
		before := tr.Epoch()
		tr.Taken()
		during := tr.Epoch()
		if tr.IsDurable(before) {
			t.Errorf("%s: durable before the snapshot is stored", name)
		}
		if !tr.Persisted() || !tr.IsDurable(before) || tr.IsDurable(during) {
			t.Errorf("%s: stored: durable is %v before the snapshot and %v after it", name, tr.IsDurable(before), tr.IsDurable(during))
		}
		if tr.Persisted() || tr.IsDurable(during) {
			t.Errorf("%s: a snapshot is stored twice", name)
		}
	}
}

// The host is asked once for a snapshot, and for the next one when the last is stored.
func TestAsked(t *testing.T) {
	var tr Tracker
	may := func(when string, want bool) {
		t.Helper()
		if tr.MayAsk() != want {
			t.Errorf("%s: the host may be asked: %v", when, tr.MayAsk())
		}
	}
	may("at the start", false)
	tr.Await()
	may("something waits", true)
	tr.Asked()
	may("asked", false)
	tr.Taken()
	if tr.Needed() {
		t.Error("a snapshot was taken and is still needed")
	}
	tr.Await()
	if tr.Needed() {
		t.Error("another snapshot is needed for what may be in the last one")
	}
	tr.Request()
	if may("requested", false); !tr.Needed() {
		t.Error("a request is forgotten")
	}
	tr.Persisted()
	may("requested, and the last one is stored", true)
}

// A snapshot that the host takes without being asked is as good as any other.
func TestUnasked(t *testing.T) {
	var tr Tracker
	tr.Request()
	tr.Taken()
	tr.Taken()
	if tr.Needed() || tr.MayAsk() || !tr.Persisted() || !tr.IsDurable(1) || tr.IsDurable(2) {
		t.Errorf("%+v: want both snapshots to be durable", tr)
	}
}

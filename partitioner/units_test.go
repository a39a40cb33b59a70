package partitioner

import "testing"

// Numbers are shown with as many digits as people read.
func TestUnits(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0 B", 1023: "1023 B", 1024: "1.0 KiB", 1 << 20: "1.00 MiB", 1<<20 - 1: "1024.0 KiB", 5 << 29: "2.50 GiB", 1 << 40: "1024.00 GiB",
	} {
		if got := Bytes(n); got != want {
			t.Errorf("%d bytes: got %s, want %s", n, got, want)
		}
	}
	for n, want := range map[float64]string{0: "0", 999: "999", 1000: "1.0k", 1.5e6: "1.50M", 2e9: "2.00G"} {
		if got := count(n); got != want {
			t.Errorf("%v: got %s, want %s", n, got, want)
		}
	}
}

// Names of the graph become names of Go and of the runtime.
func TestNames(t *testing.T) {
	for in, want := range map[string]string{"TrainStep": "train_step", "Any": "any", "send": "send", "PeerHealthGateRx": "peer_health_gate_rx"} {
		if got := snake(in); got != want {
			t.Errorf("snake(%s): got %s, want %s", in, got, want)
		}
	}
	for in, want := range map[string]string{"peer_up": "PeerUp", "peer suspect": "PeerSuspect", "phase": "Phase", "": ""} {
		if got := camel(in); got != want {
			t.Errorf("camel(%s): got %s, want %s", in, got, want)
		}
	}
	used := map[string]bool{}
	for _, want := range []string{"start", "start_1", "start_2"} {
		if got := fresh(used, "start"); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

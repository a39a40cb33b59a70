package limits

import (
	"reflect"
	"testing"
)

// TestLimitsFor checks the limits for machines of different sizes.
func TestLimitsFor(t *testing.T) {
	if got, want := For(Machine{}), Default(); !reflect.DeepEqual(got, want) {
		t.Errorf("limits for an unknown machine: %+v, want %+v", got, want)
	}
	if got, want := For(Machine{1 << 40, 4 << 40, 1 << 20}), Default(); !reflect.DeepEqual(got, want) {
		t.Errorf("of a huge machine: %+v, want %+v", got, want)
	}
	for memory := int64(64 << 20); memory <= 64<<30; memory *= 2 {
		for _, disk := range []int64{0, 1 << 20, 1 << 30} {
			l := For(Machine{Memory: memory, Disk: disk, Descriptors: 256})
			inMemory := int64(l.Held) + int64(l.OutboundBytes) + 3*int64(l.IngressBytes) + int64(l.Executions)*frameRoom
			if disk == 0 {
				inMemory += l.Spooled - int64(l.Held) // payloads that are in no file count as held
			}
			if inMemory > memory/4*3 {
				t.Errorf("of %d MiB up to %d MiB are used", memory>>20, inMemory>>20)
			}
			if disk > 0 && l.Spooled > disk/2 {
				t.Errorf("of %d bytes of disk up to %d are used", disk, l.Spooled)
			}
			if l.Peers > 128 || l.Wire.Envelope < MinTaken || l.Wire.Fill < MinTaken || int64(l.Wire.Bulk) > l.Spooled {
				t.Errorf("%d MiB: %+v", memory>>20, l)
			}
		}
	}
}

package limits

import (
	"fmt"
	"math"
	"reflect"
	"testing"
)

// The presets, limit by limit: a server's or desktop's, and a small device's.
func TestPresets(t *testing.T) {
	want := map[string][2]int64{
		"Ops": {1000, 1000}, "Executions": {65536, 1024}, "Held": {min(16<<30, math.MaxInt), 256 << 20}, "Spooled": {1 << 40, 1 << 30}, "Commands": {10000, 10000},
		"Outbound": {65536, 10000}, "OutboundBytes": {min(4<<30, math.MaxInt), 64 << 20}, "Events": {1024, 1024},
		"Ingress": {16384, 4096}, "IngressBytes": {256 << 20, 8 << 20}, "Peers": {16384, 16384}, "Timers": {65536, 65536},
		"Queue": {4096, 4096}, "Ring": {1024, 1024}, "Window": {8192, 8192}, "Origins": {65536, 4096},

		"Wire.Envelope": {16 << 20, 256 << 10}, "Wire.Fills": {256, 16}, "Wire.Fill": {4 << 20, 64 << 10}, "Wire.Suffix": {4 << 10, 512},
		"Wire.Dims": {64, 16}, "Wire.Addresses": {8, 4}, "Wire.Address": {256, 256}, "Wire.Hello": {16 << 10, 4 << 10},
		"Wire.Classes": {64, 8}, "Wire.Name": {256, 128}, "Wire.Proof": {1 << 10, 256}, "Wire.Chunk": {1 << 20, 64 << 10}, "Wire.Bulk": {1 << 40, 64 << 20},
	}
	seen := 0
	var walk func(prefix string, big, small reflect.Value)
	walk = func(prefix string, big, small reflect.Value) {
		for i := range big.NumField() {
			name := prefix + big.Type().Field(i).Name
			if big.Field(i).Kind() == reflect.Struct {
				walk(name+".", big.Field(i), small.Field(i))
				continue
			}
			seen++
			if got := [2]int64{big.Field(i).Int(), small.Field(i).Int()}; got != want[name] {
				t.Errorf("%s is %d, want %d", name, got, want[name])
			}
		}
	}
	walk("", reflect.ValueOf(Default()), reflect.ValueOf(Edge()))
	if seen != len(want) {
		t.Errorf("%d limits, want %d", seen, len(want))
	}
}

// A table is shared fairly: however many peers use as much as they can, all get the same and as much is left
// for one more.

// TestFairShare checks how much of a resource each of several users gets.
func TestFairShare(t *testing.T) {
	for takers := 1; takers < 10; takers++ {
		has := make([]int, takers)
		used := 0
		for range 1000 {
			for i := range has {
				if InFairShare(has[i], 1, used, 5040) {
					has[i]++
					used++
				}
			}
		}
		for i := range has {
			if want := 5040 / (takers + 1); takers > 4 && (has[i] < want-takers || has[i] > want+1) {
				t.Errorf("taker %d of %d has %d, want %d", i, takers, has[i], want)
			}
		}
	}
	if fmt.Sprint(InFairShare(0, 1, 0, 1), InFairShare(0, 1, 1, 1), InFairShare(1, 0, 1, 1)) != "true false false" {
		t.Error("a table of one place")
	}
}

// TestLargeValue: one value may take all that is left. Then neither its peer nor another one gets more, and when it is
// released, the others get theirs first: the peer that had it is not preferred.
func TestLargeValue(t *testing.T) {
	const limit = 100
	if !InFairShare(0, limit, 0, limit) || InFairShare(0, limit+1, 0, limit) {
		t.Error("a value as large as the limit is admitted, and no larger one")
	}
	if InFairShare(limit, 1, limit, limit) || InFairShare(0, 1, limit, limit) {
		t.Error("there is more than the limit")
	}
	if !InFairShare(10, 80, 10, limit) || InFairShare(10, 81, 10, limit) { // it has 10, and could have 90
		t.Error("a peer with 10 of 100 gets at most 80 more")
	}
	if InFairShare(60, 1, 60, limit) || !InFairShare(0, 40, 60, limit) {
		t.Error("a peer with more than half gets nothing more, and another one all the rest")
	}
}

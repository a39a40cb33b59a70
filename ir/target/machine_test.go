package target_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/ir/target"
)

// measured returns the file of a machine.
func measured(t *testing.T) string {
	m := &target.Machine{
		Processor: "a processor", System: "linux/amd64", Processors: 4, Caches: []target.Cache{{Level: 1, Bytes: 32 << 10}}, Level: "avx2",
		Speeds: target.SpeedsOf(&target.Target{Products: 30, Transforms: 7, Bytes: 11, Call: 0}, map[string]string{"products": "192×192"}),
	}
	b, err := m.Encode()
	if err != nil {
		t.Fatal(err)
	}
	again, _, err := target.ParseMachine(b)
	if err != nil || !reflect.DeepEqual(again, m) {
		t.Fatalf("got %+v, %v, want %+v", again, err, m)
	}
	return string(b)
}

// TestMachine: a file has the numbers of a target, and the rest is that of its level.
func TestMachine(t *testing.T) {
	_, got, err := target.ParseMachine([]byte(measured(t)))
	want := *target.AVX2
	want.Products, want.Transforms, want.Bytes, want.Call = 30, 7, 11, 0
	want.Cores, want.Caches = 4, []target.Cache{{Level: 1, Bytes: 32 << 10}}
	if err != nil || !reflect.DeepEqual(*got, want) {
		t.Errorf("got %+v, %v, want %+v", got, err, want)
	}
}

// TestBadMachine: a file with something missing, foreign or out of range is an error that says what.
func TestBadMachine(t *testing.T) {
	file := measured(t)
	for _, c := range []struct{ old, bad, want string }{
		{`"avx2"`, `"sse9"`, `level is "sse9", want one of avx2, avx512, neon, portable`},
		{`"processor"`, `"processer"`, `is not what "bbgen tune --machine" writes: json: unknown field`},
		{`"value": 30`, `"value": 0`, `speed "products" is 0, want 1 to`},
		{`"value": 11`, `"value": 1073741825`, `speed "bytes" is 1073741825, want 1 to 1073741824`},
		{`"value": 7`, `"value": 7.5`, `is not what`},
		{`"value": 0`, `"value": -1`, `speed "call" is -1, want 0 to`},
		{`"name": "call"`, `"name": "calls"`, `there is no speed "call"`},
		{`"name": "call"`, `"name": "bytes"`, `there are two speeds "bytes"`},
		{`per 4 ns`, `per ns`, `speed "transforms" has the unit "elements transformed per ns", want "elements transformed per 4 ns"`},
		{`"processors": 4`, `"processors": -4`, `there are -4 processors, want 1 to`},
		{`"bytes": 32768`, `"bytes": 0`, `cache L1 has 0 bytes, want 1 to`},
		{`"level": 1`, `"level": 0`, `cache L0 has 32768 bytes`},
		{`"speeds": [`, `"speeds": [{"name": "luck", "value": 1, "unit": "", "from": ""},`, `speed "luck" is unknown`},
		{file, ``, `is not what`},
	} {
		bad := strings.Replace(file, c.old, c.bad, 1)
		if bad == file {
			t.Fatalf("there is no %s in %s", c.old, file)
		}
		if _, got, err := target.ParseMachine([]byte(bad)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %+v, %v, want %s", c.bad, got, err, c.want)
		}
	}
}

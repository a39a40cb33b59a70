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

// TestMachine: a file has the numbers of a target.
func TestMachine(t *testing.T) {
	_, got, err := target.ParseMachine([]byte(measured(t)))
	want := target.Target{Level: "avx2", Products: 30, Transforms: 7, Bytes: 11}
	if err != nil || *got != want {
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

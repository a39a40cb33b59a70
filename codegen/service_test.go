package codegen_test

import (
	"reflect"
	"testing"

	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/runtime"
)

// stores are the types in the column State.
var stores = map[string]reflect.Type{
	"Counter": reflect.TypeFor[*runtime.Counter](),
	"Hold":    reflect.TypeFor[*runtime.Hold](),
	"Limit":   reflect.TypeFor[*runtime.Limit](),
	"Queue":   reflect.TypeFor[*runtime.Queue](),
	"Ring":    reflect.TypeFor[*runtime.Ring](),
	"Window":  reflect.TypeFor[*runtime.Window](),
}

// TestServices tests that the methods of the engine agree with the table of services.
func TestServices(t *testing.T) {
	for _, o := range op.All() {
		if o.Peer == nil || o.Peer.Kind != op.KindService && o.Peer.Kind != op.KindWait {
			continue
		}
		on := reflect.TypeFor[*runtime.Engine]()
		if s := o.Peer.State; s != "" {
			if on = stores[s]; on == nil {
				t.Errorf("%s: package runtime has no store %s", o.Name, s)
				continue
			}
		}
		m, ok := on.MethodByName(o.Peer.Method)
		if !ok {
			t.Errorf("%s: %v has no method %s", o.Name, on, o.Peer.Method)
			continue
		}
		if got := fails(m.Type); got != o.Peer.Fails {
			t.Errorf("%s: the row says Fails: %v, and %s returns an error: %v", o.Name, o.Peer.Fails, m.Type, got)
		}
		if got := takes(m.Type, reflect.TypeFor[float64]()); got != o.Peer.Decimal {
			t.Errorf("%s: the row says Decimal: %v, and %s takes float64: %v", o.Name, o.Peer.Decimal, m.Type, got)
		}
		if n := m.Type.NumOut(); n > 0 && m.Type.Out(0).Kind() == reflect.Slice && m.Type.In(1) != m.Type.Out(0) {
			t.Errorf("%s: %s does not append to the list that it is given", o.Name, m.Type)
		}
		if got := takes(m.Type, reflect.TypeFor[[]byte]()); got && !o.Peer.Held {
			t.Errorf("%s: %s takes an encoded value, and the row does not say Held", o.Name, m.Type)
		}
	}
}

// fails reports whether a method returns an error.
func fails(m reflect.Type) bool {
	n := m.NumOut()
	return n > 0 && m.Out(n-1) == reflect.TypeFor[error]()
}

// takes reports whether a method has a parameter of a type.
func takes(m, typ reflect.Type) bool {
	for i := range m.NumIn() {
		if m.In(i) == typ {
			return true
		}
	}
	return false
}

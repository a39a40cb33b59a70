package wire

import (
	"reflect"
	"testing"
)

// TestEveryField: each field of a message arrives, also if it is the only one, and no field is taken for another.
func TestEveryField(t *testing.T) {
	lim := Default()
	for _, c := range []struct {
		message any // a pointer
		always  []string
		again   func(message any) (any, error)
	}{
		{&Hello{}, nil, func(m any) (any, error) { return ConsumeHello(AppendHello(nil, m.(*Hello)), &lim) }},
		{&Ping{}, []string{"ID"}, func(m any) (any, error) { return ConsumePing(AppendPing(nil, *m.(*Ping))) }},
		{&Parallel{}, []string{"Stream"}, func(m any) (any, error) { return ConsumeParallel(AppendParallel(nil, *m.(*Parallel))) }},
		{&Ack{}, []string{"Bulk"}, func(m any) (any, error) { return ConsumeAck(AppendAck(nil, *m.(*Ack))) }},
	} {
		typ := reflect.TypeOf(c.message).Elem()
		for i := range typ.NumField() {
			m := reflect.New(typ)
			for _, name := range c.always { // without them it is no message
				setField(m.Elem().FieldByName(name), 1)
			}
			setField(m.Elem().Field(i), i+2)
			got, err := c.again(m.Interface())
			if want := m.Elem().Interface(); err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%v with %s:\n got %+v, %v\nwant %+v", typ, typ.Field(i).Name, got, err, want)
			}
		}
	}
}

// setField makes a field one that is not its zero value.
func setField(v reflect.Value, n int) {
	text := string(rune('a' + n))
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int:
		v.SetInt(int64(n))
	case reflect.Uint32, reflect.Uint64:
		v.SetUint(uint64(n))
	case reflect.String:
		v.SetString(text)
	case reflect.Slice:
		list := reflect.MakeSlice(v.Type(), 1, 1)
		setField(list.Index(0), n)
		v.Set(list)
	case reflect.Uint8:
		v.SetUint(uint64(text[0]))
	default:
		panic("a field of another kind: " + v.Kind().String())
	}
}

// TestHugeNumbers: a number that no program needs is the largest that is possible, and no negative one.
func TestHugeNumbers(t *testing.T) {
	lim := Default()
	b := appendVarint(nil, helloStreams, 1<<63)
	b = appendVarint(b, helloStream, 1<<40)
	h, err := ConsumeHello(appendVarint(b, helloProtocol, 1<<40), &lim)
	if err != nil || h.Streams != 1<<31-1 || h.Stream != 1<<31-1 || h.Protocol != 1<<32-1 {
		t.Errorf("got %+v, %v", h, err)
	}
}

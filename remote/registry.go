package remote

import (
	"fmt"
	"sync"
)

// names are those of servers in this process.
var names = struct {
	sync.Mutex
	addresses map[string]string
}{addresses: map[string]string{}}

// Name gives a server's address, or an invitation to it, a name that [Config.Address] may
// say instead. A name stands for one address as long as the process lives.
func Name(name, address string) error {
	if _, err := parse(address); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	names.Lock()
	defer names.Unlock()
	if have, ok := names.addresses[name]; ok && have != address {
		return fmt.Errorf("the name %q stands for %s already", name, have)
	}
	names.addresses[name] = address
	return nil
}

// resolve is the address that a name stands for, or else the text itself.
func resolve(text string) string {
	names.Lock()
	defer names.Unlock()
	if a, ok := names.addresses[text]; ok {
		return a
	}
	return text
}

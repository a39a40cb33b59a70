// Package kademlia finds peers and values by key without a server, and without that a peer knows all others. It is the
// Kademlia of P. Maymounkov and D. Mazières, "Kademlia: A Peer-to-Peer Information System Based on the XOR Metric", 2002.
//
//	w.Table.Run(g, "table", time.Second) // a Protocol slot with a Table
//	w.Table.Call(g, "Put", dsl.TriggerType, key, value)
//	w.Table.Call(g, "Get", dsl.TriggerType, key)
//	value := w.Table.Call(g, "Value", dsl.Uint8(dsl.Any), key) // empty until it is found
//
// The distance of two keys is their XOR. A peer keeps up to K others for each power of two of the distance. A full
// bucket takes a new peer only when the one that was silent for longest does not answer a ping: so those remain that
// have been there for long. A lookup asks the Alpha nearest peers that it has heard of for nearer ones, again and again, until the K
// nearest have answered. A period advances one lookup by a step, or sends one ping.
//
// # Lies
//
// A peer that is only named by another one becomes part of a lookup, but not of the table before it has sent something itself; so a
// peer cannot fill the tables of others with names. An answer counts if it was asked for, and has a limited number of names,
// which must be admitted peers. A value counts when Agree peers have returned the same one. Values are limited in
// number and size, also for each peer that stores them, and expire.
package kademlia

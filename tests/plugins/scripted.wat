;; A plug-in by hand: a test puts what `detect` does in place of the comment "script".
(component
  (core module $code
    (memory (export "memory") 1)
    (global $free (mut i32) (i32.const 4096))
    (global $calls (mut i32) (i32.const 0))
    (data (i32.const 64) "CODENAME")

    (func (export "allocate") (param i32 i32 i32) (param $size i32) (result i32)
      (local $at i32)
      (local.set $at (i32.and (i32.add (global.get $free) (i32.const 7)) (i32.const -8)))
      (global.set $free (i32.add (local.get $at) (local.get $size)))
      (block $fits
        (loop $grow
          (br_if $fits (i32.le_u (global.get $free) (i32.mul (memory.size) (i32.const 65536))))
          (if (i32.eq (memory.grow (i32.const 1)) (i32.const -1)) (then unreachable))
          (br $grow)))
      (local.get $at))

    ;; Tells of one detection; the answer stands at 0, the detection at 16.
    (func $tell (param $start i32) (param $end i32) (param $entity i32) (param $length i32) (param $score i32) (result i32)
      (i32.store8 (i32.const 0) (i32.const 0))
      (i32.store (i32.const 4) (i32.const 16))
      (i32.store (i32.const 8) (i32.const 1))
      (i32.store (i32.const 16) (local.get $start))
      (i32.store (i32.const 20) (local.get $end))
      (i32.store (i32.const 24) (local.get $entity))
      (i32.store (i32.const 28) (local.get $length))
      (i32.store8 (i32.const 32) (local.get $score))
      (i32.const 0))

    ;; Tells of a codename.
    (func $codename (param $start i32) (param $end i32) (result i32)
      (call $tell (local.get $start) (local.get $end) (i32.const 64) (i32.const 8) (i32.const 90)))

    (func $overflow (param $depth i32) (result i32)
      (i32.add (local.get $depth) (call $overflow (i32.add (local.get $depth) (i32.const 1)))))

    (func (export "detect")
      (param $text i32) (param $length i32) (param $is_named i32) (param $name i32) (param $name_length i32)
      (result i32)
      (global.set $calls (i32.add (global.get $calls) (i32.const 1)))
      (;script;)))
  (core instance $code (instantiate $code))
  (alias core export $code "memory" (core memory $memory))
  (alias core export $code "allocate" (core func $allocate))
  (alias core export $code "detect" (core func $detect))

  (type $text' (record (field "content" string) (field "name" (option string))))
  (export $text "text" (type $text'))
  (type $detection' (record (field "start" u32) (field "end" u32) (field "entity" string) (field "score" u8)))
  (export $detection "detection" (type $detection'))
  (func $lifted (param "text" $text) (result (result (list $detection)))
    (canon lift (core func $detect) (memory $memory) (realloc $allocate)))
  (export "detect" (func $lifted)))

-- What becomes of an authorized payment of a purchase. CONTESTED: it may find less left than its amount; Florin judges it.
-- KEPT: it was judged, and stays. RELEASING: less was left, and its provider is asked to release it. Null: it is not
-- authorized, or not judged yet.
alter table invoice_payment
  add column hold_state text check (hold_state in ('CONTESTED', 'KEPT', 'RELEASING'));
alter table checkout_payment
  add column hold_state text check (hold_state in ('KEPT', 'RELEASING'));
create index invoice_payment_to_judge on invoice_payment (tenant_id, invoice_id, number)
  where state = 'OPEN' and hold_state in ('CONTESTED', 'RELEASING');

-- Whether payments of a checkout are only authorized, and captured by further requests. Null: they are captured at once.
alter table checkout add column capture_method text check (capture_method = 'MANUAL');

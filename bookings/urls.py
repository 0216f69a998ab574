from django.urls import path

from bookings.views import bookings, cancelling, checkout, holds

app_name = "bookings"
urlpatterns = [
    path("events/<slug:slug>/hold/", holds.place, name="place"),
    path("your-seats/<uuid:reference>/", holds.hold, name="hold"),
    path("your-seats/<uuid:reference>/extend/", holds.extend, name="extend"),
    path("your-seats/<uuid:reference>/change/", holds.change, name="change"),
    path("your-seats/<uuid:reference>/prices/", holds.change_fares, name="fares"),
    path("your-seats/<uuid:reference>/release/", holds.release, name="release"),
    path("your-seats/<uuid:reference>/checkout/", checkout.checkout, name="checkout"),
    path("bookings/<slug:booking_secret>/", bookings.booking, name="booking"),
    path("bookings/<slug:booking_secret>/cancel/", cancelling.cancel, name="cancel"),
    path("bookings/<slug:booking_secret>/return/", checkout.come_back, name="return"),
    path("bookings/<slug:booking_secret>/tickets.pdf", bookings.tickets_pdf, name="tickets_pdf"),
    path("bookings/<slug:booking_secret>/tickets/<int:ticket_id>/", bookings.ticket, name="ticket"),
    path(
        "bookings/<slug:booking_secret>/tickets/<int:ticket_id>/ticket.pdf",
        bookings.ticket_pdf,
        name="ticket_pdf",
    ),
]
